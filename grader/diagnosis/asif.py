"""Of what other call, or what change to the right result, an answer's numbers are the right ones.

A wrong answer is often right about something else: for `k` in place of `q`, without the last key,
for a result whose negative numbers became 0. Each such thing is tried, and is told only where it
gives the numbers of every call that was seen, the right ones among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..suite.kept import NotKept
from ..suite.probe import Array, Probe, Value
from .case import Seen, alike, apart, telling

Results = Mapping[str, Array]
Told = tuple[str, str]
"""An id without a stage's name, and a statement."""


@dataclass(frozen=True)
class AsIf:
    """A call or a result that the numbers may be right for.

    Attributes:
        id: stable, without a stage's name.
        told: the statement, true where the numbers are these.
        results: what would then come out of a probe; it may raise where that makes no sense.
    """

    id: str
    told: str
    results: Callable[[Probe], Results]


def ordinary(calls: Sequence[Seen]) -> list[Seen]:
    """The calls that an explanation must hold for, those first that tell most in little time.

    Calls with nan or inf where none should be are left out, for these explain themselves. There is
    no call at all where no wrong one could tell luck from cause.
    """
    finite = [call for call in calls if not _overflowed(call)]
    wrong = [call for call in finite if call.wrong]
    chosen = sorted((call for call in wrong if telling(call)), key=lambda call: call.size)
    return [*chosen[:1], *wrong, *(c for c in finite if not c.wrong)] if chosen else []


def first(guesses: Iterator[AsIf], calls: Sequence[Seen]) -> Told | None:
    """The first guess that holds for all calls, if there is one."""
    with np.errstate(all="ignore"):
        for guess in guesses:
            if all(holds(guess, call) for call in calls):
                return guess.id, guess.told
    return None


def right(probe: Probe) -> dict[str, Array]:
    """The right results of a probe, by name."""
    return dict(zip(probe.function.results, probe.expected(torch.float64), strict=True))


def called(probe: Probe, changed: Mapping[str, Value]) -> dict[str, Array]:
    """The right results for other arguments.

    Raises:
        NotKept: this bundle has no oracle.
    """
    found = probe.function.oracle(*{**probe.arguments, **changed}.values())
    found = found if isinstance(found, tuple) else (found,)
    return dict(zip(probe.function.results, found, strict=True))


def _overflowed(call: Seen) -> bool:
    return any(
        not np.isfinite(got).all() and np.isfinite(call.right[name]).all()
        for name, got in call.results.items()
    )


def holds(guess: AsIf, call: Seen) -> bool:
    """Whether a call's numbers are those of a guess."""
    try:
        found = guess.results(call.probe)
    except (ValueError, IndexError, TypeError, KeyError, NotKept):
        return False  # it makes no sense for this call, or this bundle cannot compute it
    if apart(call, found):
        return False
    return all(_close(got, found[name], call.right[name]) for name, got in call.results.items())


def _close(got: Array, found: Array, wanted: Array) -> bool:
    """Whether two arrays are alike, and much closer to each other than to the right one."""
    if not alike(got, found):
        return False
    if got.shape != wanted.shape:
        return True
    off = np.abs(got - wanted).max(initial=0)
    return not off > 0 or bool(np.abs(got - found).max(initial=0) <= max(0.02 * off, 1e-12))


def changed(probe: Probe, name: str, change: Callable[[Array], Array]) -> Results:
    """The right results for one argument changed."""
    return called(probe, {name: change(np.asarray(probe.arguments[name]))})


def through(
    probe: Probe, wrong: Sequence[str], change: Callable[[Array], Array]
) -> dict[str, Array]:
    """The right results, some of them changed."""
    return {n: change(a) if n in wrong else a for n, a in right(probe).items()}
