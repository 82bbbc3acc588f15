"""How reports say things: verdicts, points, totals and what comes first of a failure."""

from __future__ import annotations

from collections.abc import Iterable

from ..record import CheckResult, StageResult, Status, SubmissionResult

UNFINISHED = frozenset(set(Status) - {Status.PASSED, Status.NOT_JUDGED})
"""States in which a learner has something left to do."""


def verdict(status: Status) -> str:
    """A status in words.

    >>> verdict(Status.NOT_SUBMITTED)
    'not submitted'
    """
    return status.value.replace("_", " ")


def points(value: float) -> str:
    """Points as a person writes them.

    >>> points(10.0), points(2.5), points(0.1 + 0.2)
    ('10', '2.5', '0.3')
    """
    return f"{round(value, 2):.10g}"


def totals(result: SubmissionResult) -> str:
    """Points gained, out of how many, and what was not judged here with its reasons."""
    judged = f"{points(result.points)} of {points(result.max_judged)} judged"
    if result.complete:
        return judged
    rest = points(result.max_points - result.max_judged)
    because = "; ".join(unjudged(result)) or "no reason was given"
    return f"{judged}; {rest} not judged here: {because}"


def unjudged(result: SubmissionResult) -> list[str]:
    """Why some points of a submission could not be judged here, each reason once."""
    return reasons(check for stage in result.stages for check in stage.checks)


def reasons(checks: Iterable[CheckResult]) -> list[str]:
    """Why checks could not be judged here, each reason once."""
    unjudged = (c.reason for c in checks if c.status is Status.NOT_JUDGED and c.reason)
    return list(dict.fromkeys(unjudged))


def sentence(stage: StageResult) -> str:
    """What to tell a learner first about an unfinished stage.

    The mistake's name where there is one, else what the first failed check has to say. A hidden
    check has its title to say.
    """
    if stage.diagnosis:
        return "\n\n".join(diagnosis.message for diagnosis in stage.diagnosis)
    failure = stage.first_failure()
    if failure is None:
        return stage.message or f"{verdict(stage.status).capitalize()}."
    return failure.message or f"A hidden check did not pass: {failure.title}."


def told(check: CheckResult) -> str:
    """What a check has to say; of a hidden one, which is all that a student may know of it."""
    if check.status is Status.NOT_JUDGED:
        return f"Not judged here: {check.reason or 'no reason was given'}."
    return check.message or ("This check is hidden." if check.hidden else "")


def told_with_diagnosis(check: CheckResult, stage: StageResult) -> str:
    """What a check has to say, after the diagnosis where it is the stage's first failure."""
    if stage.diagnosis and check is stage.first_failure():
        return f"{sentence(stage)}\n\n{told(check)}".rstrip()
    return told(check)
