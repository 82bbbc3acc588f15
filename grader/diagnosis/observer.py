"""Observing many answers to one stage: of equal answers to a question one is looked at.

A class makes the same mistakes, and is right in most of what it is asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from ..course import Stage
from ..subject import Subject
from ..suite.foreseen import Foreseen
from .cells import Observation
from .designs import Diagnostics
from .observe import Cells, Question, questions, without_chance

MOST_CELLS = 5_000
"""For how many different answers is kept what was wrong with them; each has some kilobytes."""


class Observer:
    """Sees what is wrong with answers to a stage.

    Args:
        stage: the stage; all questions together may take as long as one check of it.
        diagnostics: the calls and experiments by which mistakes are told apart.
    """

    def __init__(self, stage: Stage, diagnostics: Diagnostics) -> None:
        self._seconds = stage.seconds
        self._questions = {
            f"{stage.name} (diagnosis) {number}": question
            for number, question in enumerate(questions(diagnostics))
        }
        self._seen = Foreseen[Cells](MOST_CELLS)

    def __call__(self, subject: Subject) -> Observation:
        """Everything that is wrong about an answer, as far as the diagnostics can see it."""
        found: Cells = {}
        for _, cells in self.each(subject):
            found |= cells
        return without_chance(found)

    def each(self, subject: Subject) -> Iterator[tuple[str, Cells]]:
        """What is wrong about an answer, by the names that the questions are foreseen by."""
        end = time.monotonic() + self._seconds
        subject.look_ahead([*self._questions], self._seconds)
        for name, question in self._questions.items():
            left = max(0.0, end - time.monotonic())
            yield name, self._seen(subject, name, left, partial(_asked, question, subject, left))


def _asked(question: Question, subject: Subject, seconds: float) -> Cells:
    subject.begin(seconds)
    return question.ask(subject)
