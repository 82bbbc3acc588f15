"""Numbers that a bound has changed: cut off at it, or set to 0 below it.

A bound that is between two numbers of the probes is known no better than that, and no better is it
told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from ..suite.kept import NotKept
from ..suite.probe import Array
from .asif import AsIf, Told, changed, holds
from .case import Seen, alike, number
from .factors import lowest
from .guesses import arrays


def clipped(calls: Sequence[Seen]) -> Told | None:
    """No number of a result goes beyond a bound, and within the bounds all are right."""
    pairs = _pairs(calls)
    if not pairs:
        return None
    low, high = (float(f([f(got) for got, _ in pairs])) for f in (np.min, np.max))
    least, most = (float(f([f(wanted) for _, wanted in pairs])) for f in (np.min, np.max))
    if not low < high or not all(alike(got, np.clip(r, low, high)) for got, r in pairs):
        return None
    told = _beyond("above", "up", most, high) if most > high + 1e-6 * abs(high) else ""
    told += _beyond("below", "down", least, low) if least < low - 1e-6 * abs(low) else ""
    return ("general/clipped", f"Your numbers are cut off.{told}") if told else None


def _beyond(side: str, way: str, wanted: float, bound: float) -> str:
    return f" None is {side} {number(bound)}, and the right ones go {way} to {number(wanted)}."


def pruned(calls: Sequence[Seen]) -> Told | None:
    """The smallest numbers of a result became 0, and all others are right."""
    pairs = _pairs(calls)
    gone = [(got == 0) & (wanted != 0) for got, wanted in pairs]
    kept = [(got != 0) & (wanted != 0) for got, wanted in pairs]
    if not any(mask.any() for mask in gone) or not any(mask.any() for mask in kept):
        return None
    if not all(alike(g, np.where(mask, 0, r)) for (g, r), mask in zip(pairs, gone, strict=True)):
        return None
    sizes = [np.abs(wanted) for _, wanted in pairs]
    most = max(float(s[m].max(initial=0)) for s, m in zip(sizes, gone, strict=True))
    least = min(float(s[m].min(initial=np.inf)) for s, m in zip(sizes, kept, strict=True))
    if most > least:
        return None
    return "general/pruned", (
        f"Your smallest numbers became 0, and all others are right: the largest that did so should "
        f"be {number(most)}, the smallest that did not is {number(least)}."
    )


def _pairs(calls: Sequence[Seen]) -> list[tuple[Array, Array]]:
    """Numbers and right numbers of all results; none where shapes differ or something is nan."""
    pairs = [(got, call.right[n]) for call in calls for n, got in call.results.items()]
    fit = all(g.shape == r.shape and g.size and not np.isnan(g).any() for g, r in pairs)
    return pairs if fit else []


def cut(calls: Sequence[Seen]) -> Told | None:
    """The argument that would have to be cut off, and between which numbers the bound is.

    Args:
        calls: those that must be explained, a wrong one first.
    """
    names = arrays(calls[0].probe.function)
    fit = all(got.shape == c.right[n].shape for c in calls for n, got in c.results.items())
    for name in names if fit and len(names) < 3 else []:
        for side, change in _SIDES:
            try:
                where = _between(calls, name, change)
            except NotKept:
                return None
            if where:
                told = f"Your result would be right for {name} {side.format(where)}."
                return "general/argument_cut", told
    return None


Cut: TypeAlias = Callable[[Array, float], Array]

_SIDES: tuple[tuple[str, Cut], ...] = (
    ("cut off above {}", np.minimum),
    ("cut off below minus {}", lambda a, bound: np.maximum(a, -bound)),
    ("cut off above {} and below minus that", lambda a, bound: np.clip(a, -bound, bound)),
    ("with minus {} in place of -inf", lambda a, bound: np.where(np.isneginf(a), -bound, a)),
)
_GRID = np.geomspace(0.25, 4e4, 36)
"""Bounds that are tried at first."""


def _between(calls: Sequence[Seen], name: str, change: Cut) -> str:
    """In words, where the bound is; nothing where there is none that explains everything."""
    grid = [float(bound) for bound in _GRID]
    off = partial(_off, name=name, change=change)
    least = off(calls[:1], bound=np.inf) / 2
    likely = [bound for bound in grid if off(calls[:1], bound=bound) < least]
    if not likely:
        return ""
    near = grid.index(min(likely, key=lambda bound: off(calls, bound=bound)))
    low, high = grid[max(near - 1, 0)], grid[min(near + 1, len(grid) - 1)]

    def fits(bound: float) -> bool:
        results = partial(changed, name=name, change=lambda a: change(a, bound))
        return all(holds(AsIf("", "", results), call) for call in calls)

    bound = grid[near] if fits(grid[near]) else lowest(lambda b: off(calls, bound=b), low, high)
    return _words(fits, bound) if fits(bound) else ""


def _words(fits: Callable[[float], bool], bound: float) -> str:
    """A bound that fits, as closely as the others that fit leave it."""
    if not fits(0.999 * bound) and not fits(1.001 * bound):
        return number(bound)
    below = max((float(b) for b in _GRID if b < bound and not fits(float(b))), default=0.0)
    above = min((float(b) for b in _GRID if b > bound and not fits(float(b))), default=np.inf)
    return (
        f"some number between {number(below)} and {number(above)}"
        if np.isfinite(above)
        else f"some number larger than {number(below)}"
    )


def _off(calls: Sequence[Seen], name: str, change: Cut, bound: float) -> float:
    """How far the results for a bound are from those of some calls, all in all."""
    total = 0.0
    for call in calls:
        found = changed(call.probe, name, lambda a: change(a, bound))
        total += sum(float(np.abs(got - found[n]).sum()) for n, got in call.results.items())
    return total if np.isfinite(total) else np.inf
