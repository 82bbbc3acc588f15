"""Everything that `compare` has to say of one stage, as data."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import check, own, stage_page
from ..course import Course, CourseError, Stage
from ..devices.timing import Timing
from ..diagnosis import Variant
from ..diagnosis.bank import diagnostics, stage_module
from ..judge import sources_of
from ..mine import own_numbers
from ..record import Cost, StageResult, Status
from ..submission import Submission, read_folder
from . import effort
from .code import definitions
from .outputs import Gap, gaps

AT_MOST = 3
"""Variants shown; more would hide them."""


@dataclass(frozen=True)
class Comparison:
    """One stage of a learner beside the reference.

    Attributes:
        stage: the stage.
        result: how the learner's stage is judged.
        gaps: the largest difference of each function.
        cost: what one call costs on either side.
        pace: the reference's time over the learner's; None where the call stops.
        yours: the learner's definitions by name; empty where nothing is to be revealed.
        reference: the reference's.
        variants: other right answers, with the reason why.
        figure: the stage's figure; empty where it has none.
        mine: the learner's own numbers in it.
    """

    stage: Stage
    result: StageResult
    gaps: Sequence[Gap] = ()
    cost: Sequence[Cost] = ()
    pace: Timing | None = None
    yours: Mapping[str, str] | None = None
    reference: Mapping[str, str] | None = None
    variants: Sequence[Variant] = ()
    figure: str = ""
    mine: Mapping[str, Any] | None = None


def compare(course: Course, stage: Stage, folder: Path, *, reveal: bool) -> Comparison:
    """Compare one stage.

    Args:
        course: the course.
        stage: the stage.
        folder: the learner's modules.
        reveal: whether to show the solution even if the stage does not pass.

    Raises:
        CourseError: this folder of the course has no solutions.
        IntakeError: there is no such folder.
    """
    reference = own.reference(course)
    if stage.name not in reference:
        raise CourseError(
            f"There is no solution of {stage.name!r} here to compare with: a bundle for students "
            "has none. Your instructor's copy of the course has."
        )
    submission = read_folder(folder, course.names)
    record = check.check(course, submission, [stage], lambda _: None)
    result = record.submissions[0].stages[0]
    measured = _measured(course, stage, submission, reference) if result.checks else {}
    shown = reveal or result.status is Status.PASSED
    code = _code(course, stage, submission, reference) if shown else {}
    return Comparison(stage, result, **measured, **code)


def _measured(
    course: Course, stage: Stage, submission: Submission, reference: Mapping[str, str]
) -> dict[str, Any]:
    figure = stage_page.read(course, stage.name).figure
    designs = diagnostics(course, stage)
    prepare = effort.prepared(course, stage, designs)
    solved = Submission("reference", "", reference)
    both = (sources_of(course, reference, work, stage) for work in (submission, solved))
    yours, theirs = (own.alone(sources, stage) for sources in both)
    try:
        for subject in (yours, theirs):
            subject.begin(3 * stage.seconds)
        found = tuple(gaps(yours, theirs, designs))
        runs = not any(gap.trouble for gap in found)
        return {
            "gaps": found,
            "cost": effort.cost(yours, theirs, prepare) if runs else (),
            "pace": effort.pace(yours.plain(), theirs.plain(), prepare) if runs else None,
            "figure": figure,
            "mine": own_numbers(course, submission, own.alone).get(figure, {}),
        }
    finally:
        yours.close()
        theirs.close()


def _code(
    course: Course, stage: Stage, submission: Submission, reference: Mapping[str, str]
) -> dict[str, Any]:
    yours: Mapping[str, str] = {}
    with contextlib.suppress(SyntaxError, ValueError):
        yours = definitions(submission.texts.get(stage.name, ""))
    chosen = tuple(_variants(course, stage, yours))
    return {"yours": yours, "reference": definitions(reference[stage.name]), "variants": chosen}


def _variants(course: Course, stage: Stage, yours: Mapping[str, str]) -> Iterator[Variant]:
    """A few right answers that the learner's is not: short ones, of each function one first."""
    if not (course.root / f"tests/variants/{stage.name}.py").is_file():
        return
    own_trees = {_tree(text) for text in yours.values()}
    known: Sequence[Variant] = stage_module(course, "variants", stage).VARIANTS
    others = [variant for variant in known if _tree(variant.source) not in own_trees]
    others.sort(key=lambda variant: len(variant.source))
    first = {variant.replaces: variant for variant in reversed(others)}.values()
    ordered = [*first, *(variant for variant in others if variant not in first)]
    yield from ordered[:AT_MOST]


def _tree(text: str) -> str:
    return ast.dump(ast.parse(text))
