"""What the figures show of a learner's folder: numbers, and what is known of their mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..course import Course, Stage
from ..diagnosis import diagnoser
from ..figures.content import results
from ..judge import sources_of
from ..mine import makers, own_numbers
from ..own import reference
from ..record import Diagnosis
from ..standing import unjudgeable
from ..subject import Subject
from ..subject.confined.process import Workers
from ..subject.protocol import Sources
from ..submission import Submission, read_folder

Own: TypeAlias = Mapping[str, Any]
"""The learner's results by quantity: nested lists of numbers, or text in their place."""
Figures: TypeAlias = dict[str, dict[str, Any]]
"""Figure to its `mine` and `diagnosis`, as `figure_html` takes them, JSON-ready."""


class Numbers:
    """Runs a learner's functions on the figures' inputs, each stage in a process of its own.

    Args:
        course: the course; its `tests/stages/mine.py` says which function feeds which figure.
        workers: gives the processes.
    """

    def __init__(self, course: Course, workers: Workers) -> None:
        self._course = course
        self._workers = workers
        self._reference = reference(course)
        self._diagnoser = diagnoser(course, self._open)
        self._makers = makers(course)

    def of(self, folder: Path) -> Iterator[Figures]:
        """The numbers of what is in the folder now; then the same with each diagnosis that is made.

        Raises:
            MachineryError: a process could not be had.
        """
        submission = read_folder(folder, self._course.names)
        numbers = own_numbers(self._course, submission, self._open)
        mine = {figure: results(dict(own)) or {} for figure, own in numbers.items()}
        yield self._shown(mine, {})
        told: dict[str, Diagnosis] = {}
        for stage, diagnosis in self._told(submission):
            told[stage] = diagnosis
            yield self._shown(mine, told)

    def _shown(self, mine: Mapping[str, Own], told: Mapping[str, Diagnosis]) -> Figures:
        return {
            figure: {"mine": own, "diagnosis": dict(self._explained(figure, own, told))}
            for figure, own in mine.items()
        }

    def _explained(
        self, figure: str, own: Own, told: Mapping[str, Diagnosis]
    ) -> Iterator[tuple[str, str]]:
        """The sentence for each quantity of a figure whose stage has one."""
        for quantity, stage in self._makers[figure].items():
            diagnosis = told.get(stage)
            if diagnosis is None or quantity not in own:
                continue
            # A known mistake's sentence alone: its evidence is from numbers that no figure shows.
            bank = self._diagnoser.of_stage(self._course.stage(stage)).bank
            if diagnosis.id in bank.lessons:
                yield quantity, bank.lessons[diagnosis.id].sentence
            elif not isinstance(own[quantity], str):  # an exception speaks for itself
                yield quantity, diagnosis.message.partition("\n\n")[0]

    def _told(self, submission: Submission) -> Iterator[tuple[str, Diagnosis]]:
        """Each begun stage of a figure that has a mistake, and its first."""
        shown = {stage for stages in self._makers.values() for stage in stages.values()}
        for stage in self._course.stages:
            if stage.name in shown and unjudgeable(submission, stage) is None:
                sources = sources_of(self._course, self._reference, submission, stage)
                for diagnosis in self._diagnoser.mistakes(stage, sources)[:1]:
                    yield stage.name, diagnosis

    def _open(self, sources: Sources, stage: Stage) -> Subject:
        return self._workers.open(
            sources, forbidden=stage.forbidden, memory=stage.memory, seconds=stage.seconds
        )
