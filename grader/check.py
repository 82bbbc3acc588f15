"""A learner's own check: one submission, judged in this process."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from . import digest
from .course import Course, Stage
from .record import Chain, Isolation, Record, StageResult, Status, SubmissionResult
from .standing import unjudgeable
from .submission import Submission, read_folder

if TYPE_CHECKING:
    from .subject.protocol import Sources

IN_PROCESS = Isolation(
    level=0,
    not_enforced=("a process of its own: this is a learner's check of their own work",),
)

Tell = Callable[[StageResult], None]


def check(course: Course, submission: Submission, stages: Sequence[Stage], tell: Tell) -> Record:
    """Judge some stages of a submission; `tell` hears of each stage as it is done."""
    seed = secrets.token_hex(8)
    known = [unjudgeable(submission, stage) for stage in stages]
    if all(known):
        result = _unjudged(submission, [stage for stage in known if stage], tell)
    else:
        result = _judged(course, submission, stages, seed, tell)
    return Record(course.name, digest.of_suites(course), seed, IN_PROCESS, (result,))


def _unjudged(
    submission: Submission, stages: Sequence[StageResult], tell: Tell
) -> SubmissionResult:
    """A result for which nothing has to run, so that PyTorch need not be loaded."""
    for stage in stages:
        tell(stage)
    chain = Chain(Status.NOT_JUDGED, "Nothing to run yet.")
    digest_ = submission.digest
    return SubmissionResult(submission.id, submission.path, digest_, 0.0, tuple(stages), chain)


def _judged(
    course: Course, submission: Submission, stages: Sequence[Stage], seed: str, tell: Tell
) -> SubmissionResult:
    # These load torch and pytest, which untouched stubs do not need.
    from .chain import load, run_chain
    from .diagnosis import diagnoser
    from .judge import Judge
    from .subject.alone import Alone
    from .subject.in_process import InProcess
    from .suite.session import Suites, with_suites

    results = []

    def alone(sources: Sources, stage: Stage) -> Alone:
        return Alone(sources, stage.forbidden)

    def chain(whole: Submission) -> Chain:
        if len(stages) < len(course.stages):
            return Chain(Status.NOT_JUDGED, "Only some stages were asked for.")
        return run_chain(course, load(course), whole, alone)

    def work(suites: Suites) -> None:
        judge = Judge(
            course,
            suites,
            reference=read_folder(course.root / "solutions", course.names).texts,
            open=lambda sources, stage: InProcess(sources, stage.forbidden),
            diagnose=diagnoser(course, alone),
            chain=chain,
        )
        results.append(judge.judge(submission, stages, tell))

    with_suites(course, stages, seed, work)
    return results[0]
