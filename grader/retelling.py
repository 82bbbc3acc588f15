"""The same result with its messages told another way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .record import CheckResult, StageResult, SubmissionResult

Tell = Callable[[str], str]


def retold(
    result: SubmissionResult, tell: Tell, check: Callable[[CheckResult], CheckResult]
) -> SubmissionResult:
    """A result told another way.

    Args:
        result: the result.
        tell: tells the messages of stages, diagnoses and the chain.
        check: tells a check, of which not everything may be for everybody.
    """

    def stage(found: StageResult) -> StageResult:
        diagnosis = tuple(replace(d, message=tell(d.message)) for d in found.diagnosis)
        checks = tuple(map(check, found.checks))
        return replace(found, checks=checks, diagnosis=diagnosis, message=tell(found.message))

    chain = replace(result.chain, message=tell(result.chain.message))
    return replace(result, stages=tuple(map(stage, result.stages)), chain=chain)
