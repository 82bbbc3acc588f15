import itertools
import math
import random
from collections.abc import Callable, Iterator

import pytest

from grader.devices.timing import WARM_UPS, Comparison, Outcome, Plan, Timing, Unit, interval

PLAN = Plan(threshold=0.8)


def scripted(
    seconds: Iterator[float], result: Callable[[int], object] = lambda work: work
) -> Unit[int]:
    return lambda work: (next(seconds), result(work))


def noisy(mean: float, spread: float, seed: int) -> Iterator[float]:
    draw = random.Random(seed)  # noqa: S311 - noise, no secret
    return (mean * math.exp(draw.gauss(0, spread)) for _ in itertools.count())


def compared(
    yours: Unit[int],
    reference: Unit[int],
    plan: Plan = PLAN,
    state: Callable[[], object] = lambda: None,
) -> Timing:
    work = itertools.count()
    return Comparison(yours, reference, lambda: next(work), lambda a, b: a == b, state).run(plan)


@pytest.mark.parametrize("seed", range(20))
def test_the_reference_against_itself_passes_every_time(seed: int) -> None:
    found = compared(scripted(noisy(0.1, 0.05, seed)), scripted(noisy(0.1, 0.05, seed + 100)))
    assert found.outcome is Outcome.PASSED
    assert 0.9 < found.low <= found.ratio <= found.high < 1.1
    assert found.pairs == 12


@pytest.mark.parametrize("seed", range(20))
def test_three_times_slower_fails_every_time(seed: int) -> None:
    found = compared(scripted(noisy(0.3, 0.1, seed)), scripted(noisy(0.1, 0.1, seed + 100)))
    assert found.outcome is Outcome.FAILED
    assert found.high < 0.5


def test_near_the_threshold_more_pairs_are_timed_and_then_nobody_is_blamed() -> None:
    yours = itertools.cycle([0.1, 0.1, 0.15, 0.15])
    found = compared(scripted(iter(yours)), scripted(itertools.repeat(0.1)))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.pairs == 12 * 2**3
    assert found.low < 0.8 <= found.high


def test_a_drift_common_to_both_cancels() -> None:
    slower = [0.1 * 1.02**n for n in range(1000)]
    pace = iter(slower)
    unit = scripted(pace)
    found = compared(unit, unit)
    assert found.outcome is Outcome.PASSED
    assert found.ratio == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("wrong_from", [0, WARM_UPS, WARM_UPS + 5])
def test_a_wrong_result_counts_for_more_than_any_speed(wrong_from: int) -> None:
    def result(work: int) -> object:
        return work if work < wrong_from else "something else"

    found = compared(scripted(itertools.repeat(0.001), result), scripted(itertools.repeat(0.1)))
    assert found.outcome is Outcome.WRONG
    assert found.pairs == max(0, wrong_from - WARM_UPS)


def test_pairs_within_which_the_machine_changed_are_thrown_away() -> None:
    states = itertools.cycle(["cool", "cool", "cool", "hot"])
    found = compared(
        scripted(itertools.repeat(0.1)), scripted(itertools.repeat(0.1)), state=lambda: next(states)
    )
    assert (found.outcome, found.pairs, found.discarded) == (Outcome.PASSED, 12, 11)


def test_a_machine_that_never_holds_still_judges_nobody() -> None:
    states = itertools.count()
    found = compared(
        scripted(itertools.repeat(0.3)), scripted(itertools.repeat(0.1)), state=lambda: next(states)
    )
    assert found.outcome is Outcome.INCONCLUSIVE
    assert (found.pairs, math.isnan(found.ratio)) == (0, True)


def test_the_warm_up_is_not_timed() -> None:
    yours = itertools.chain([100.0] * WARM_UPS, itertools.repeat(0.1))
    found = compared(scripted(yours), scripted(itertools.repeat(0.1)))
    assert found.outcome is Outcome.PASSED
    assert found.ratio == pytest.approx(1)


def test_sides_take_turns_to_go_first() -> None:
    calls: list[str] = []

    def side(name: str) -> Unit[int]:
        return lambda work: (calls.append(name) or 0.1, work)  # type: ignore[func-returns-value]

    compared(side("A"), side("B"))
    assert "".join(calls[2 * WARM_UPS :][:8]) == "ABBAABBA"


@pytest.mark.parametrize(
    ("yours", "flag"),
    [
        ([0.1] * 14, None),
        ([0.02] * 14, "times as fast"),
        ([0.1] * 7 + [0.12] * 7, "drifts"),
    ],
)
def test_what_a_person_should_see_is_flagged_but_passes(
    yours: list[float], flag: str | None
) -> None:
    found = compared(scripted(iter(yours)), scripted(itertools.repeat(0.1)))
    assert found.outcome is Outcome.PASSED
    assert [flag in text for text in found.flags if flag] == ([True] if flag else [])
    assert bool(found.flags) is bool(flag)


def test_the_interval_holds_the_median_and_shrinks_with_more_pairs() -> None:
    draw = random.Random(1)  # noqa: S311 - noise, no secret
    few, many = ([draw.gauss(0, 0.2) for _ in range(n)] for n in (12, 200))
    widths = [interval(logs, PLAN)[1] - interval(logs, PLAN)[0] for logs in (few, many)]
    assert widths[1] < widths[0] / 2
    assert interval([], PLAN) == (0, math.inf)
