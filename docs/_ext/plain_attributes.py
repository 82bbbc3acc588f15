"""Keep a colon in an attribute's docstring a colon.

napoleon takes ``what: it is`` under an attribute for a type and its description. The types here
are in annotations, so the colon is hidden from napoleon and put back afterwards.
"""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

HIDDEN = "\ue000"  # private use: no docstring has it
ATTRIBUTES = ("attribute", "data", "property")


def hide(_app: Sphinx, what: str, _name: str, _obj: object, _opt: object, lines: list[str]) -> None:
    """Before napoleon: hide the colons of an attribute's docstring."""
    if what in ATTRIBUTES:
        lines[:] = [line.replace(":", HIDDEN) for line in lines]


def show(_app: Sphinx, what: str, _name: str, _obj: object, _opt: object, lines: list[str]) -> None:
    """After napoleon: show them again."""
    if what in ATTRIBUTES:
        lines[:] = [line.replace(HIDDEN, ":") for line in lines]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Run on either side of napoleon, whose own priority is 500."""
    app.connect("autodoc-process-docstring", hide, priority=400)
    app.connect("autodoc-process-docstring", show, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
