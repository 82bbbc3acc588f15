"""The base of the directives here: each writes Markdown from data, and MyST does the rest."""

from pathlib import Path
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[3]
"""The project: the folder of course.toml."""


class MarkdownDirective(SphinxDirective):
    """A directive whose content is Markdown made from a file of the project."""

    sources: ClassVar[tuple[str, ...]] = ()
    """Files, relative to the project, whose change makes the page out of date."""

    def markdown(self) -> str:
        """The text to put in the directive's place."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse that text as if it stood in the page."""
        for source in self.sources:
            self.env.note_dependency(ROOT / source)
        return self.parse_text_to_nodes(self.markdown())


def cell(text: str) -> str:
    """Text that may stand in a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
