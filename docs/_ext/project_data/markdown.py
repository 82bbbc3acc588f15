"""The base of the directives here: each writes Markdown from data, and MyST does the rest."""

from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from grader.course import CourseError

ROOT = Path(__file__).parents[3]
"""The project: the folder of course.toml."""


class MarkdownDirective(SphinxDirective):
    """A directive whose content is Markdown made from a file of the project."""

    def markdown(self) -> str:
        """The text to put in the directive's place."""
        raise NotImplementedError

    def uses(self, source: str) -> Path:
        """Where a file of the project is; its change will make the page out of date."""
        self.env.note_dependency(ROOT / source)
        return ROOT / source

    def run(self) -> list[nodes.Node]:
        """Parse the text as if it stood in the page; what cannot be made is said with its place."""
        try:
            return self.parse_text_to_nodes(self.markdown())
        except (CourseError, LookupError) as error:
            raise self.error(f"{self.name}: {error}") from error


def cell(text: str) -> str:
    """Text that may stand in a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")
