"""The proof matrix, as far as it has been made: ``nox -s docs`` writes the file that is shown."""

from .markdown import MarkdownDirective

MATRIX = "docs/_generated/proof.md"

ABSENT = (
    "The matrix is made by running every answer of both collections, which takes a while, so it is "
    "not stored with the sources. `nox -s docs` makes it and builds this page with it."
)


class ProofMatrix(MarkdownDirective):
    """``{proof-matrix}``: the generated Markdown, or how to come by it."""

    def markdown(self) -> str:
        """The matrix, or a sentence in its place."""
        file = self.uses(MATRIX)
        return file.read_text(encoding="utf-8") if file.exists() else ABSENT
