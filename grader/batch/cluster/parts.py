"""A submission whose stages were judged in two places, as one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...record import SubmissionResult


def joined(
    plain: SubmissionResult, accelerated: SubmissionResult, order: Sequence[str]
) -> SubmissionResult:
    """Two results as one.

    Args:
        plain: most stages, and the chain.
        accelerated: the stages that were judged on an accelerator, or for want of one elsewhere.
        order: the names of the stages.
    """
    stages = sorted(
        (*plain.stages, *accelerated.stages), key=lambda result: order.index(result.stage)
    )
    seconds = plain.seconds + accelerated.seconds
    return replace(plain, stages=tuple(stages), seconds=seconds)
