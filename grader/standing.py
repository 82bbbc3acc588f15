"""What can be said about a stage by reading its file alone; nothing is run, torch is not needed."""

from __future__ import annotations

from collections.abc import Sequence

from .course import Course, Stage
from .record import CheckResult, StageResult, Status
from .submission import Submission, not_started, syntax_problem


def unjudgeable(submission: Submission, stage: Stage) -> StageResult | None:
    """The result of a stage whose module is not there, cannot be read, or was not begun."""
    name = stage.name
    if name in submission.problems:
        return StageResult(name, Status.ERROR, stage.points, message=submission.problems[name])
    if name not in submission.texts:
        return StageResult(name, Status.NOT_SUBMITTED, stage.points)
    text = submission.texts[name]
    problem = syntax_problem(text, submission.file(name))
    if problem:
        return StageResult(name, Status.ERROR, stage.points, message=problem)
    if not_started(text):
        return StageResult(name, Status.NOT_STARTED, stage.points)
    return None


def finished(course: Course, stages: Sequence[StageResult]) -> bool:
    """Whether nothing of the whole course is left to do."""
    fine = {Status.PASSED, Status.NOT_JUDGED}
    return len(stages) == len(course.stages) and all(stage.status in fine for stage in stages)


def status_of(checks: Sequence[CheckResult]) -> Status:
    """A stage's status: passed when everything that could be judged passed."""
    judged = {check.status for check in checks} - {Status.NOT_JUDGED}
    if not judged:
        return Status.NOT_JUDGED
    for status in (Status.PASSED, Status.ERROR):
        if judged == {status}:
            return status
    return Status.FAILED
