"""A learner's own check: one submission, judged in this process."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence

from . import digest
from .course import Course, Stage
from .record import Chain, Isolation, Record, StageResult, Status, SubmissionResult
from .standing import unjudgeable
from .submission import Submission

IN_PROCESS = Isolation(
    level=0,
    not_enforced=("a process of its own: this is a learner's check of their own work",),
)

Tell = Callable[[StageResult], None]


def check(
    course: Course,
    submission: Submission,
    stages: Sequence[Stage],
    tell: Tell,
    kinds: Sequence[str] = ("public", "hidden"),
) -> Record:
    """Judge some stages of a submission; `tell` hears of each stage as it is done.

    Args:
        course: the course.
        submission: the learner's work.
        stages: what to judge.
        tell: hears of each stage as it is done.
        kinds: which suites to judge by, of those that are there.
    """
    seed = secrets.token_hex(8)
    known = [unjudgeable(submission, stage) for stage in stages]
    if all(known):
        result = _unjudged(submission, [stage for stage in known if stage], tell)
    else:
        result = _judged(course, submission, stages, seed, tell, kinds)
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
    course: Course,
    submission: Submission,
    stages: Sequence[Stage],
    seed: str,
    tell: Tell,
    kinds: Sequence[str],
) -> SubmissionResult:
    # These load torch and pytest, which untouched stubs do not need.
    from .own import own_diagnoser, own_judge
    from .suite.session import Suites, with_suites

    results = []
    whole = len(stages) == len(course.stages)

    def work(suites: Suites) -> None:
        judge = own_judge(course, suites, own_diagnoser(course), whole=whole)
        results.append(judge.judge(submission, stages, tell))

    with_suites(course, stages, seed, work, kinds)
    return results[0]
