"""The common mistakes on a stage's page are the bank's own: the sentences a report would say."""

import importlib
from itertools import groupby

from docutils import nodes
from folded import Folded

from grader.diagnosis import Mistake

from .markdown import MarkdownDirective


class Mistakes(MarkdownDirective):
    """``{mistakes} STAGE``: the bank's sentences for one stage, each with its question, folded."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """How many there are, and all of them behind one click."""
        if not self.bank:
            return self.parse_text_to_nodes("No mistakes have been collected for this stage yet.")
        summary = f"All {len(self.bank)} sentences that the report has for this stage"
        return [Folded("", *super().run(), classes=["bank"], summary=summary)]

    @property
    def bank(self) -> tuple[Mistake, ...]:
        """The known mistakes of the stage; none where it has no such file."""
        stage = self.arguments[0]
        if not self.uses(f"tests/mistakes/{stage}.py").is_file():
            return ()
        bank: tuple[Mistake, ...] = importlib.import_module(f"mistakes.{stage}").MISTAKES
        return bank

    def markdown(self) -> str:
        """A list for each function of the stage."""
        return "\n\n".join(
            f"`{function}`\n\n" + "\n".join(map(_item, mistakes))
            for function, mistakes in groupby(self.bank, key=lambda mistake: mistake.replaces)
        )


def _item(mistake: Mistake) -> str:
    return f"- {mistake.sentence}\\\n  *{mistake.question}*"
