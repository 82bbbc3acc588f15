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
from ..standing import unjudgeable
from ..subject import Subject
from ..subject.confined.process import Workers
from ..subject.protocol import Sources
from ..submission import Submission, read_folder

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
        """First the numbers of what is in the folder now, then the same with diagnoses."""
        submission = read_folder(folder, self._course.names)
        numbers = own_numbers(self._course, submission, self._open)
        figures: Figures = {name: {"mine": results(dict(own))} for name, own in numbers.items()}
        yield figures
        told = dict(self._told(submission))
        yield {
            name: {**own, "diagnosis": self._of_figure(name, told)} for name, own in figures.items()
        }

    def _of_figure(self, figure: str, told: Mapping[str, str]) -> dict[str, str]:
        """The sentence for each quantity of a figure whose stage has one."""
        stages = self._makers[figure]
        return {quantity: told[stage] for quantity, stage in stages.items() if stage in told}

    def _told(self, submission: Submission) -> Iterator[tuple[str, str]]:
        """Each begun stage that has a mistake, with the sentence that names it."""
        for stage in self._course.stages:
            if unjudgeable(submission, stage) is None:
                said = self._diagnosis(submission, stage)
                if said:
                    yield stage.name, said

    def _diagnosis(self, submission: Submission, stage: Stage) -> str:
        sources = sources_of(self._course, self._reference, submission, stage)
        found = self._diagnoser.mistakes(stage, sources)
        if not found:
            return ""
        # A known mistake's sentence alone: its evidence is from numbers that no figure shows.
        lesson = self._diagnoser.of_stage(stage).bank.lessons.get(found[0].id)
        return lesson.sentence if lesson else found[0].message.partition("\n\n")[0]

    def _open(self, sources: Sources, stage: Stage) -> Subject:
        return self._workers.open(
            sources, forbidden=stage.forbidden, memory=stage.memory, seconds=stage.seconds
        )
