"""Docstrings are written to be read in an editor; two habits of theirs need a word with Sphinx.

An indented block after a colon and an empty line is code. A colon under an attribute is a colon,
where napoleon would take ``what: it is`` for a type and its description.
"""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

HIDDEN = "\ue000"  # private use: no docstring has it
ATTRIBUTES = ("attribute", "data", "property")


def before(
    _app: Sphinx, what: str, _name: str, _obj: object, _opt: object, lines: list[str]
) -> None:
    """Before napoleon: mark code, and hide the colons of an attribute's docstring."""
    for number, (line, gap, block) in enumerate(zip(lines, lines[1:], lines[2:], strict=False)):
        if line.endswith(":") and not gap and block.startswith(_indent(line) + "    "):
            lines[number] = f"{line}:"
    if what in ATTRIBUTES:
        lines[:] = [line.replace(":", HIDDEN) for line in lines]


def after(
    _app: Sphinx, what: str, _name: str, _obj: object, _opt: object, lines: list[str]
) -> None:
    """After napoleon: show the colons again."""
    if what in ATTRIBUTES:
        lines[:] = [line.replace(HIDDEN, ":") for line in lines]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Run on either side of napoleon, whose own priority is 500."""
    app.connect("autodoc-process-docstring", before, priority=400)
    app.connect("autodoc-process-docstring", after, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
