"""A class in figures, added up one submission at a time: memory does not grow with the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..record import CheckResult, Diagnosis, StageResult, Status, SubmissionResult
from .redacted import for_student
from .words import unjudged


@dataclass
class Mistake:
    """A named mistake: how many submissions made it, and one of them as an example.

    The example is what the diagnosis and the first failed check told one student. It names nobody:
    texts that hold a submission's id are passed over. Of the others the shortest is kept, and of
    equally long ones the first in the alphabet, so that the order of submissions does not matter.
    """

    id: str
    stage: str
    count: int = 0
    sentence: str = ""
    example: str = ""

    def add(self, diagnosis: Diagnosis, stage: StageResult, author: str) -> None:
        """Count one submission that made this mistake."""
        self.count += 1
        failure = stage.first_failure()
        shown = failure.message if failure and failure.status is Status.FAILED else ""
        told = f"{diagnosis.message}\n{shown}"
        if not diagnosis.message or (author and author in told):
            return
        new, old = (diagnosis.message, shown), (self.sentence, self.example)
        if not self.sentence or _order(new) < _order(old):
            self.sentence, self.example = new


def _order(texts: tuple[str, str]) -> tuple[bool, int, tuple[str, str]]:
    return not texts[1], sum(map(len, texts)), texts


@dataclass
class CheckTally:
    """How one check came out over the class."""

    stage: str
    title: str
    hidden: bool
    statuses: Counter[Status] = field(default_factory=Counter)

    @property
    def judged(self) -> int:
        """In how many submissions the check came to a verdict."""
        return self.statuses.total() - self.statuses[Status.NOT_JUDGED]

    @property
    def failed(self) -> int:
        """In how many it did not pass."""
        return self.judged - self.statuses[Status.PASSED]


@dataclass
class ClassSummary:
    """What the class page shows.

    Attributes:
        submissions: how many were added.
        incomplete: how many of them could not be judged in every point here.
        reasons: why not, each reason with how many it held back.
        stages: by stage's name, how many stand where.
        checks: by check's id, how it came out.
        mistakes: by diagnosis's id, who made it.
        points: how many gained how many points.
        late: by stage's name, how many submissions reached a time limit in it.
    """

    submissions: int = 0
    incomplete: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    stages: dict[str, Counter[Status]] = field(default_factory=dict)
    checks: dict[str, CheckTally] = field(default_factory=dict)
    mistakes: dict[str, Mistake] = field(default_factory=dict)
    points: Counter[float] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)

    def add(self, result: SubmissionResult) -> None:
        """Add one submission. Nothing of it is kept but counts and, perhaps, an example."""
        self.submissions += 1
        self.incomplete += not result.complete
        told = for_student(result)
        self.reasons.update(unjudged(told))
        self.points[round(result.points, 2)] += 1
        for stage, shown in zip(result.stages, told.stages, strict=True):
            self.stages.setdefault(stage.stage, Counter())[stage.status] += 1
            self.late[stage.stage] += any(check.out_of_time for check in stage.checks)
            for check in stage.checks:
                self._tally(check, stage.stage)
            for diagnosis in _once_each(shown.diagnosis):
                mistake = Mistake(diagnosis.id, stage.stage)
                self.mistakes.setdefault(diagnosis.id, mistake).add(diagnosis, shown, result.id)

    def _tally(self, check: CheckResult, stage: str) -> None:
        tally = CheckTally(stage, check.title, check.hidden)
        self.checks.setdefault(check.id, tally).statuses[check.status] += 1


def _once_each(diagnoses: tuple[Diagnosis, ...]) -> Iterator[Diagnosis]:
    yield from {diagnosis.id: diagnosis for diagnosis in diagnoses}.values()
