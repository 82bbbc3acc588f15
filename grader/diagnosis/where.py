"""Where an answer is wrong, if it is not wrong everywhere: by size, by what went in, by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..suite.axes import names
from ..suite.probe import Array
from .case import Case, Seen, alike, number


def only(cases: Sequence[Case], calls: Sequence[Seen]) -> str:
    """What sets the wrong calls apart from the right ones, in the surest way; "" for nothing.

    Args:
        cases: the wrong results of a function.
        calls: all its calls that gave numbers, right or wrong.
    """
    return _by_number(calls) or _special(cases) or _with_batches(cases)


def _by_number(calls: Sequence[Seen]) -> str:
    """Whether a whole number among the arguments decides if an answer is right."""
    for name, value in calls[0].probe.arguments.items() if calls else ():
        if not isinstance(value, int):
            continue
        given = [(c.probe.arguments[name], bool(c.wrong)) for c in calls if _could_be_wrong(c)]
        wrong, fine = ({n for n, bad in given if bad is kind} for kind in (True, False))
        if wrong and len(fine) > 1 and not wrong & fine:
            listed = (", ".join(map(str, sorted(own)[:5])) for own in (wrong, fine))
            return "That is so for {0} = {1}; for {0} = {2} all is right.".format(name, *listed)
    return ""


def _could_be_wrong(call: Seen) -> bool:
    """Whether there are different numbers at all: some mistakes leave zeros as they are."""
    return any(bool(np.ptp(right) > 0) for right in call.right.values() if right.size)


def _special(cases: Sequence[Case]) -> str:
    """Whether an answer is wrong only for inputs that are special in some way, and for which."""
    notes = dict.fromkeys(case.probe.note for case in cases)
    if not all(notes):
        return ""
    return f"Ordinary inputs come out right. Wrong are: {'; '.join(list(notes)[:3])}."


def _with_batches(cases: Sequence[Case]) -> str:
    """Whether an answer is wrong only where there is a batch axis."""
    axes = [names(case.expected.shape, case.axes) for case in cases]
    if not all(any(axis.startswith("batch") for axis in own) for own in axes):
        return ""
    return "Without a batch axis your answer is right; with one it is not."


_TINY = 1e-200
"""What is smaller may be 0 for a right answer, too."""
_ENOUGH = 8
"""Numbers that must be right, and as many that must be wrong, before their sizes tell anything."""


def by_size(calls: Sequence[Seen]) -> str:
    """Whether a number's size alone decides if it is right, where something is wrong at all."""
    calls = [call for call in calls if call.wrong]
    rows = list(_rows(calls))
    if len(rows) < len(calls) or not rows:
        return ""
    bad = [np.abs(got - right) > 1e-6 * np.abs(right) for _, got, right in rows]
    sizes = np.concatenate([np.abs(right).ravel() for _, _, right in rows])
    mask, some = np.concatenate([part.ravel() for part in bad]), sizes > _TINY
    wrong, fine = sizes[mask & some], sizes[~mask & some]
    if min(len(wrong), len(fine)) < _ENOUGH:
        return ""
    if wrong.max() < fine.min():
        told = (
            f"Numbers up to {number(wrong.max())} in size are wrong, from {number(fine.min())} on"
        )
    elif fine.max() < wrong.min():
        told = (
            f"Numbers from {number(wrong.min())} in size on are wrong, up to {number(fine.max())}"
        )
    else:
        return ""
    return f"{told} they are right.{_instead(rows, bad)}"


def _rows(calls: Sequence[Seen]) -> Iterator[tuple[Seen, Array, Array]]:
    """Each result of each call, and what it should be, where they can be compared."""
    for call in calls:
        for name, got in call.results.items():
            if got.shape == call.right[name].shape and np.isfinite(got).all():
                yield call, got, call.right[name]


def _instead(rows: Sequence[tuple[Seen, Array, Array]], bad: Sequence[NDArray[np.bool_]]) -> str:
    """What stands where numbers are wrong, if it is an argument."""
    for name in rows[0][0].probe.function.axes:
        given = [np.asarray(call.probe.arguments[name]) for call, _, _ in rows]
        if all(
            array.shape == got.shape and alike(got[mask], array[mask])
            for array, (_, got, _), mask in zip(given, rows, bad, strict=True)
        ):
            return f" In place of the wrong ones is {name} as it came."
    return ""
