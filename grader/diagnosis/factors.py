"""By what factor an argument would have to be larger for an answer's numbers to be right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from ..suite.kept import NotKept
from ..suite.probe import Probe
from .asif import AsIf, Results, Told, called, changed, holds
from .case import Seen, alike, number
from .forms import form, sizes_of
from .guesses import arrays


def scaled(calls: Sequence[Seen]) -> Told | None:
    """The argument and its factor, which may differ from call to call, if there is one."""
    wrong = [call for call in calls if call.wrong]
    with np.errstate(all="ignore"):
        for name in arrays(wrong[0].probe.function):
            factors = _factors(wrong, name)
            if factors and not contradicted(factors, calls, partial(_times, name=name)):
                return "general/argument_scaled", told(name, factors, wrong)
    return None


def _times(probe: Probe, factor: float, name: str) -> Results:
    return changed(probe, name, lambda a: factor * a)


def contradicted(
    factors: Sequence[float],
    calls: Sequence[Seen],
    times: Callable[[Probe, float], Results],
) -> bool:
    """Whether one factor for all wrong calls would make others wrong that are right."""
    if any(number(factor) != number(factors[0]) for factor in factors):
        return False
    fine = [call for call in calls if not call.wrong]
    guess = AsIf("", "", lambda probe: times(probe, factors[0]))
    return not all(holds(guess, call) for call in fine)


def _factors(calls: Sequence[Seen], name: str) -> list[float]:
    """The factor of one argument in each call; none if one is missing."""
    found: list[float] = []
    for call in calls:
        factor = _factor(call, name)
        if factor is None:
            return []
        found.append(factor)
    return found


def told(name: str, factors: Sequence[float], calls: Sequence[Seen]) -> str:
    """A statement about something that would have to be so many times as large in each call."""
    sizes = [sizes_of(call.probe) for call in calls]
    head = f"Your result would be right for {name} times {number(factors[0])}"
    known = form(factors, sizes)
    if known:
        return f"{head}, which is {known}."
    others = [n for n, f in enumerate(factors) if number(f) != number(factors[0])]
    if not others:
        return f"{head}."
    return (
        f"{head} with {_listed(sizes[0])}, and times {number(factors[others[0]])} with "
        f"{_listed(sizes[others[0]])}."
    )


def _listed(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{axis} {size}" for axis, size in sizes.items())


_GRID = np.concatenate([np.geomspace(1 / 64, 64, 57), -np.geomspace(1 / 2, 2, 9)])
_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 40
"""Each leaves 62 % of what is between the points: in the end 4 parts in 10^9."""


def _factor(call: Seen, name: str) -> float | None:
    if any(a.shape != call.right[n].shape for n, a in call.results.items()):
        return None
    given = np.asarray(call.probe.arguments[name])

    def off(factor: float) -> float:
        found = called(call.probe, {name: factor * given})
        gaps = [np.abs(call.results[n] - found[n]).sum() for n in call.wrong]
        return float(np.nan_to_num(sum(gaps), nan=np.inf))

    try:
        tried = [off(factor) for factor in _GRID]
    except NotKept:
        return None
    at = int(np.argmin(tried))
    if not 2 * tried[at] < off(1):  # no valley here
        return None
    factor = lowest(off, 0.85 * float(_GRID[at]), 1.18 * float(_GRID[at]))
    found = called(call.probe, {name: factor * given})
    return factor if all(alike(got, found[n]) for n, got in call.results.items()) else None


def lowest(of: Callable[[float], float], low: float, high: float) -> float:
    """Where a distance with one valley between two points is lowest: golden-section search.

    (Kiefer 1953, "Sequential minimax search for a maximum")

    A valley that does not go down to 0 explains nothing, and is not searched to its end.
    """
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = of(left), of(right)
    start = max(at_left, at_right)
    for step in range(_STEPS):
        if step == _STEPS // 2 and min(at_left, at_right) > 0.05 * start:
            break
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = of(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = of(right)
    return (low + high) / 2
