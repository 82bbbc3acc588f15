"""The proof: every known answer judged by its stage's suite, and diagnosed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..course import Course, Stage
from ..record import CheckResult, Diagnosis, Status
from ..subject.in_process import InProcess
from ..suite.session import Suites, with_suites
from .answers import Answer, Compound, Mistake, Variant
from .bank import sources, stage_module
from .engine import Diagnoser

SEED = "proof"
"""What hidden checks draw their inputs from, where it is not said otherwise."""


@dataclass(frozen=True)
class Row:
    """One known answer: how its stage's checks came out, and what was said of it."""

    answer: Answer
    checks: tuple[CheckResult, ...]
    diagnosis: tuple[Diagnosis, ...]

    @property
    def lost(self) -> frozenset[str]:
        """Ids of the checks that cost points."""
        return frozenset(check.id for check in self.checks if costs(check))

    @property
    def told(self) -> tuple[str, ...]:
        """Ids of what was said."""
        return tuple(diagnosis.id for diagnosis in self.diagnosis)

    @property
    def expected(self) -> frozenset[str]:
        """Ids of what had to be said: its own, its twins' and, of a compound, its parts'."""
        match self.answer:
            case Mistake(id=own, twins=twins):
                return frozenset({own, *twins})
            case Compound(parts=parts):
                return frozenset(parts)
            case _:
                return frozenset()


def costs(check: CheckResult) -> bool:
    """Whether a check costs points."""
    return check.status not in {Status.PASSED, Status.NOT_JUDGED}


def answers(course: Course, stage: Stage) -> tuple[Answer, ...]:
    """Every known answer of a stage: mistakes, compounds, variants; none where it has no bank."""
    found: list[Answer] = []
    for kind, lists in _LISTS.items():
        if (course.root / "tests" / kind / f"{stage.name}.py").is_file():
            module = stage_module(course, kind, stage)
            found += [answer for name in lists for answer in getattr(module, name, ())]
    return tuple(found)


_LISTS = {"mistakes": ("MISTAKES", "COMPOUNDS"), "variants": ("VARIANTS",)}


def prove(course: Course, stages: Sequence[Stage], seed: str = SEED) -> list[Row]:
    """Judge and diagnose every known answer of some stages, in one session of pytest."""
    rows: list[Row] = []
    diagnose = Diagnoser(course, lambda sources, stage: InProcess(sources, stage.forbidden))

    def work(suites: Suites) -> None:
        for stage in stages:
            rows.extend(_row(course, suites, diagnose, stage, a) for a in answers(course, stage))

    with_suites(course, stages, seed, work)
    return rows


def _row(course: Course, suites: Suites, diagnose: Diagnoser, stage: Stage, answer: Answer) -> Row:
    given = sources(course, stage, answer)
    subject = InProcess(given, stage.forbidden)
    try:
        checks = suites.run(stage.name, subject)
    finally:
        subject.close()
    return Row(answer, checks, diagnose(stage, given, checks))


def needed(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Each check without which some mistake would lose nothing, and which mistakes those are."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if len(row.lost) == 1 and not isinstance(row.answer, Variant):
            found.setdefault(next(iter(row.lost)), []).append(row.answer.id)
    return found


def with_banks(course: Course) -> list[Stage]:
    """The stages that have known answers."""
    return [stage for stage in course.stages if answers(course, stage)]
