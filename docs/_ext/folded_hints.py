"""Fold the sections under a stage page's "Hints" heading, so that one hint is opened at a time.

In the source they are ordinary headings (``### Hint 1: a question``), because the same text is
read by ``nox -s hint`` and by people in an editor.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


class FoldedHint(nodes.container):
    """A closed block that shows its ``summary`` and opens on request."""


class FoldHints(SphinxTransform):
    """Turn every section inside "Hints" into a folded block, before the contents are collected."""

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


def _folded(hint: nodes.section) -> FoldedHint:
    body = [child for child in hint if not isinstance(child, nodes.title)]
    return FoldedHint("", *body, ids=hint["ids"], summary=_title(hint))


def visit_folded_hint(translator: HTML5Translator, node: FoldedHint) -> None:
    """Open the block."""
    translator.body.append(translator.starttag(node, "details", CLASS="hint"))
    translator.body.append(f"<summary>{translator.encode(node['summary'])}</summary>\n")


def depart_folded_hint(translator: HTML5Translator, _: FoldedHint) -> None:
    """Close the block."""
    translator.body.append("</details>\n")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform and the node."""
    app.add_node(FoldedHint, html=(visit_folded_hint, depart_folded_hint))
    app.add_transform(FoldHints)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
