"""The common mistakes on a stage's page are the bank's own: the sentences a report would say."""

import importlib

from .markdown import MarkdownDirective


class Mistakes(MarkdownDirective):
    """``{mistakes} STAGE``: the bank's sentences for one stage, each with its question."""

    required_arguments = 1

    def markdown(self) -> str:
        """One list item a mistake."""
        stage = self.arguments[0]
        self.env.note_dependency(f"../tests/mistakes/{stage}.py")
        bank = importlib.import_module(f"mistakes.{stage}").MISTAKES
        return "\n".join(f"- {mistake.sentence}\n  *{mistake.question}*" for mistake in bank)
