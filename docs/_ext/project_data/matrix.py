"""The proof matrix, as it was made last: ``nox -s docs`` makes it anew once an answer changed."""

from .markdown import MarkdownDirective

MATRIX = "docs/_generated/proof.md"


class ProofMatrix(MarkdownDirective):
    """``{proof-matrix}``: the generated Markdown."""

    def markdown(self) -> str:
        """The matrix."""
        return self.uses(MATRIX).read_text(encoding="utf-8")
