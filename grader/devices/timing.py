"""Timing that a submission cannot bend: a ratio to the reference, by the trusted side's own clock.

Nothing that the submission says about time is believed. The trusted side times a unit of work from
sending it to holding its right result; what is lazy, asynchronous or moved to another thread is
either paid for in that time or missing from the result. The reference does the same work in a
sibling process; pairs are interleaved so that a machine that slows down slows down both.

Nothing here knows of devices or processes: a unit is a callable, so that tests can script it.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Work = TypeVar("Work")
Unit = Callable[[Work], tuple[float, object]]
"""Does one unit of work; how long that took in seconds, and its result."""

WARM_UPS = 2
"""Units of each side before the first pair: contexts, libraries and caches come up."""

SUSPICIOUS = 3.0
"""A submission this many times as fast as the reference deserves a person's look."""

DRIFT = 0.1
"""So much of a change in the log ratio from the first to the last third deserves one, too."""


class Outcome(StrEnum):
    """What came of a comparison."""

    PASSED = "passed"
    FAILED = "failed"
    WRONG = "wrong"
    """A timed unit's result was not the reference's; its time means nothing."""
    INCONCLUSIVE = "inconclusive"
    """The machine was too unsteady to tell; that is nobody's fault, and not judged."""


@dataclass(frozen=True)
class Plan:
    """How a comparison goes.

    Attributes:
        threshold: the ratio of the reference's time to the submission's that must be reached.
        pairs: how many pairs are timed before the first verdict.
        doublings: how often their number may be doubled while the interval holds the threshold.
        resamples: how many resamples the bootstrap draws.
        seed: of the bootstrap.
    """

    threshold: float
    pairs: int = 12
    doublings: int = 3
    resamples: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Timing:
    """A comparison's result.

    Attributes:
        outcome: the verdict.
        ratio: the reference's time over the submission's, by the median of pairs.
        low: lower end of its 95 % bootstrap interval.
        high: upper end.
        pairs: how many pairs that rests on.
        discarded: how many more were thrown away because the machine changed within them.
        flags: what a person should look at; never an automatic verdict.
    """

    outcome: Outcome
    ratio: float
    low: float
    high: float
    pairs: int
    discarded: int
    flags: tuple[str, ...] = ()


class Comparison(Generic[Work]):
    """A submission timed against the reference.

    Args:
        yours: the submission's unit.
        reference: the reference's unit, on the same work.
        fresh: makes the work of a pair; never the same twice.
        same: whether two results agree.
        state: the machine's state, such as throttling; a pair within which it changes is
            thrown away.
    """

    def __init__(
        self,
        yours: Unit[Work],
        reference: Unit[Work],
        fresh: Callable[[], Work],
        same: Callable[[object, object], bool],
        state: Callable[[], object] = lambda: None,
    ) -> None:
        self._yours = yours
        self._reference = reference
        self._fresh = fresh
        self._same = same
        self._state = state
        self._logs: list[float] = []
        self._rounds = 0
        self._discarded = 0

    def run(self, plan: Plan) -> Timing:
        """Time pairs until the verdict is clear, or until it is clear that it will not be."""
        for _ in range(WARM_UPS):
            if not self._agree(self._fresh()):
                return self._timing(plan, Outcome.WRONG)
        for doubled in range(plan.doublings + 1):
            if not self._collect(plan.pairs << doubled):
                return self._timing(plan, Outcome.WRONG)
            outcome = _verdict(interval(self._logs, plan), plan.threshold)
            if outcome is not Outcome.INCONCLUSIVE:
                break
        return self._timing(plan, outcome)

    def _agree(self, work: Work) -> bool:
        (_, ours), (_, theirs) = self._yours(work), self._reference(work)
        return self._same(ours, theirs)

    def _collect(self, wanted: int) -> bool:
        """Time pairs until there are as many; give up when half of all had to be discarded."""
        while len(self._logs) < wanted and self._rounds < 2 * wanted:
            if not self._pair():
                return False
        return True

    def _pair(self) -> bool:
        """Time one pair, ABBA over two of them; False if the results disagree."""
        work, before = self._fresh(), self._state()
        if self._rounds % 2 == 0:
            mine, ours = self._yours(work)
            other, theirs = self._reference(work)
        else:
            other, theirs = self._reference(work)
            mine, ours = self._yours(work)
        self._rounds += 1
        if not self._same(ours, theirs):
            return False
        if self._state() == before:
            self._logs.append(math.log(other / mine))
        else:
            self._discarded += 1
        return True

    def _timing(self, plan: Plan, outcome: Outcome) -> Timing:
        if not self._logs:
            nothing = float("nan")
            return Timing(outcome, nothing, nothing, nothing, 0, self._discarded)
        low, high = interval(self._logs, plan)
        ratio = math.exp(statistics.median(self._logs))
        flags = tuple(flagged(self._logs))
        return Timing(outcome, ratio, low, high, len(self._logs), self._discarded, flags)


def interval(logs: Sequence[float], plan: Plan) -> tuple[float, float]:
    """A 95 % bootstrap interval of the ratio: percentiles of resampled medians.

    (Efron and Tibshirani 1993, chapter 13.) Without pairs, everything is possible.
    """
    if not logs:
        return 0.0, math.inf
    draw = random.Random(plan.seed)  # noqa: S311 - statistics, no secret
    medians = sorted(
        statistics.median(draw.choices(logs, k=len(logs))) for _ in range(plan.resamples)
    )
    tail = round(0.025 * plan.resamples)
    return math.exp(medians[tail]), math.exp(medians[-1 - tail])


def _verdict(found: tuple[float, float], threshold: float) -> Outcome:
    low, high = found
    if low >= threshold:
        return Outcome.PASSED
    return Outcome.FAILED if high < threshold else Outcome.INCONCLUSIVE


def flagged(logs: Sequence[float]) -> Iterable[str]:
    """What in a row of log ratios a person should look at."""
    if statistics.median(logs) > math.log(SUSPICIOUS):
        yield f"more than {SUSPICIOUS:g} times as fast as the reference"
    third = len(logs) // 3
    if third and abs(statistics.median(logs[-third:]) - statistics.median(logs[:third])) > DRIFT:
        yield "the ratio drifts from the first to the last pairs"
