"""Blocks that are closed until a reader opens them, and hints as such blocks.

In the source, hints are ordinary headings (``### Hint 1: a question``), because the same text is
read by ``nox -s hint`` and by people in an editor.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


class Folded(nodes.container):
    """A closed block that shows its ``summary`` and opens on request."""


class FoldHints(SphinxTransform):
    """Fold every section inside "Hints", before the page's contents are collected."""

    default_priority = 500

    def apply(self, **_: object) -> None:
        """Replace the sections in place."""
        for section in list(self.document.findall(nodes.section)):
            if _title(section) == "Hints":
                for hint in [child for child in section if isinstance(child, nodes.section)]:
                    hint.replace_self(_folded(hint))


def _title(section: nodes.section) -> str:
    title = section.next_node(nodes.title)
    return title.astext() if title is not None else ""


def _folded(hint: nodes.section) -> Folded:
    body = [child for child in hint if not isinstance(child, nodes.title)]
    return Folded("", *body, ids=hint["ids"], classes=["hint"], summary=_title(hint))


def visit_folded(translator: HTML5Translator, node: Folded) -> None:
    """Open the block."""
    translator.body.append(translator.starttag(node, "details", CLASS="folded"))
    translator.body.append(f"<summary>{translator.encode(node['summary'])}</summary>\n")


def depart_folded(translator: HTML5Translator, _: Folded) -> None:
    """Close the block."""
    translator.body.append("</details>\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the node and the transform."""
    app.add_node(Folded, html=(visit_folded, depart_folded))
    app.add_transform(FoldHints)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
