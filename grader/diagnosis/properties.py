"""What can be measured about a wrong result that no known mistake explains.

Each property is a statement about the learner's own numbers, true because it was measured. It says
what is odd, and guesses at no cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import torch
from numpy.typing import NDArray

from ..suite.axes import guessed_shape, named_shape, names
from ..suite.probe import Array
from .case import Case, alike, number, span
from .forms import form

Measured = str | None
Measure = Callable[[Case], Measured]
_NEAR = 1e-6


@dataclass(frozen=True)
class Property:
    """One measured property.

    Attributes:
        id: stable, without a stage's name: `general/ratio`.
        measure: the statement about an answer's wrong results, or None where it does not hold.
        whole: it accounts for all of their numbers, so that nothing more need be said.
    """

    id: str
    measure: Callable[[Sequence[Case]], Measured]
    whole: bool = False


def whole(cases: Sequence[Case]) -> tuple[str, str] | None:
    """The first property that accounts for all the numbers, if there is one."""
    return next(_held(cases, [known for known in PROPERTIES if known.whole]), None)


def partial(cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """The other properties, most telling first: id and statement."""
    return _held(cases, [known for known in PROPERTIES if not known.whole])


def _held(cases: Sequence[Case], properties: Sequence[Property]) -> Iterator[tuple[str, str]]:
    for known in properties:
        with np.errstate(all="ignore"):
            statement = known.measure(cases)
        if statement is not None:
            yield known.id, statement


def first(measure: Measure) -> Callable[[Sequence[Case]], Measured]:
    """A property of the first wrong result."""
    return lambda cases: measure(cases[0])


def every(measure: Measure) -> Callable[[Sequence[Case]], Measured]:
    """A property that all wrong results of several rows and columns must have."""

    def told(cases: Sequence[Case]) -> Measured:
        statements = [measure(case) for case in cases if _telling(case)]
        return statements[0] if statements and None not in statements else None

    return told


def _telling(case: Case) -> bool:
    """Whether there are several rows and columns, and numbers that differ."""
    return min(case.got.shape[-2:], default=1) > 1 and bool(np.ptp(case.expected) > 0)


def _axes_swapped(case: Case) -> Measured:
    if case.got.ndim != case.expected.ndim:
        return None
    for order in permutations(range(case.got.ndim)):
        turned = case.expected.transpose(order)
        if order != tuple(range(case.got.ndim)) and alike(case.got, turned):
            shown = names(case.expected.shape, case.axes)
            yours, wanted = ", ".join(shown[i] for i in order), ", ".join(shown)
            return f"Your numbers are right, but the axes are ({yours}); expected ({wanted})."
    return None


def _other_shape(case: Case) -> Measured:
    if case.fits or case.got.size != case.expected.size:
        return None
    if alike(case.got.reshape(case.expected.shape), case.expected):
        return f"Your numbers are right, but their shape is not: {_shapes(case)}."
    return None


def _wrong_shape(case: Case) -> Measured:
    return None if case.fits else f"The shape is not right: {_shapes(case)}."


def _shapes(case: Case) -> str:
    wanted = named_shape(case.expected.shape, case.axes)
    return (
        f"{case.name} came back as {guessed_shape(case.got.shape, case.sizes)}, expected {wanted}"
    )


def _other_result(case: Case) -> Measured:
    results = zip(case.probe.function.results, case.probe.expected(torch.float64), strict=True)
    for name, right in results:
        if name != case.name and alike(case.got, right):
            return f"Where {case.name} belongs you returned {name}."
    return None


def _argument_returned(case: Case) -> Measured:
    for name, value in case.arguments.items():
        if alike(case.got, value):
            return f"{case.name} is {name} as it came, unchanged."
    return None


def _not_finite(case: Case) -> Measured:
    bad = ~np.isfinite(case.got)
    if not case.fits or not bad.any() or not np.isfinite(case.expected).all():
        return None
    kinds = "nan" if np.isnan(case.got[bad]).all() else "inf or nan"
    at = case.where([int(i) for i in np.argwhere(bad)[0]])
    others = not bad.all() and alike(case.got[~bad], case.expected[~bad])
    rest = "; the others are right" if others else ""
    largest = max(float(np.abs(a[np.isfinite(a)]).max(initial=0)) for a in case.arguments.values())
    return (
        f"{int(bad.sum())} of {bad.size} numbers are {kinds}, the first at {at}"
        f"{rest}. "
        f"The largest number that went in is {number(largest)}."
    )


def _all_zero(case: Case) -> Measured:
    if case.got.size and not case.got.any():
        return f"Every number of {case.name} is 0."
    return None


def _all_equal(case: Case) -> Measured:
    if not case.fits or case.got.size < 2 or not np.isfinite(case.got).all():
        return None
    if np.ptp(case.got) <= _NEAR * np.abs(case.got).max():
        return f"Every number of {case.name} is {number(float(case.got.flat[0]))}."
    return None


def _ratio(cases: Sequence[Case]) -> Measured:
    """All numbers of each result are off by one factor; it may differ from call to call."""
    factors = [factor for case in cases if (factor := _factor(case)) is not None]
    if len(factors) < len(cases) or cases[0].got.size < 2:
        return None
    told = f"Every number is the right one times {_digits(factors[0])}"
    known = form(factors, [case.sizes for case in cases])
    if known:
        return f"{told}, which is {known}."
    others = [f for f in factors if not math.isclose(f, factors[0], rel_tol=_NEAR)]
    if not others and len(cases) > 2:
        return f"{told}."
    more = f" For another input it is {_digits(others[0])}." if others else ""
    return _divisors(cases) or f"{told}.{more}"


def _digits(factor: float) -> str:
    """A factor, with as many digits as show that it is not 1."""
    return f"{factor:.4g}" if abs(factor - 1) > 1e-3 else f"{factor:.7g}"


def _divisors(cases: Sequence[Case]) -> Measured:
    """For one array and a whole number: what the array is divided by, for each whole number."""
    found: dict[str, set[tuple[str, str]]] = {}
    for case in cases:
        whole = {n: v for n, v in case.probe.arguments.items() if isinstance(v, int)}
        if len(whole) != 1 or len(case.arguments) != 1:
            return None
        (name, array), ((of, size),) = *case.arguments.items(), whole.items()
        by, right = (_quotient(array, result) for result in (case.got, case.expected))
        if by is None or right is None:
            return None
        found.setdefault(f"{of} = {size}", set()).add((_digits(by), _digits(right)))
    if any(len(rows) > 1 for rows in found.values()):
        return None
    rows = [f"by {by} for {at} (right: {right})" for at, ((by, right),) in found.items()]
    return f"What comes out is {name} divided {', '.join(rows[:4])}."


def _quotient(array: Array, result: Array) -> float | None:
    """The one number by which an array is divided, if there is one."""
    kept = (np.abs(array) > 1e-200) & (np.abs(result) > 1e-200)
    if array.shape != result.shape or not kept.any():
        return None
    quotients = array[kept] / result[kept]
    first = float(quotients.flat[0])
    return first if np.allclose(quotients, first, rtol=_NEAR, atol=0) else None


def _factor(case: Case) -> float | None:
    if not case.fits or not np.isfinite(case.got).all():
        return None
    kept = np.abs(case.expected) > 1e-200  # what is smaller may have lost its digits
    if not kept.any() or np.abs(case.got[~kept]).max(initial=0) > 1e-190:
        return None
    ratios = case.got[kept] / case.expected[kept]
    factor = float(ratios.flat[0])
    same = np.allclose(ratios, factor, rtol=_NEAR, atol=0)
    return factor if same and abs(factor - 1) >= 1e-5 else None


def _row_offsets(case: Case) -> Measured:
    if not case.fits or case.got.ndim < 2 or case.got.shape[-1] < 2:
        return None
    gaps = case.got - case.expected
    if not np.isfinite(gaps).all() or np.ptp(gaps, axis=-1).max() > _NEAR * np.abs(gaps).max():
        return None
    return f"Each row is the right one plus a number of its own, {span(gaps[..., 0])}."


def _same_for_rows(case: Case) -> Measured:
    if not case.fits or case.got.ndim < 2 or case.got.shape[-2] < 2:
        return None
    gaps = case.got - case.expected
    if not np.isfinite(gaps).all() or np.ptp(gaps, axis=-2).max() > _NEAR * np.abs(gaps).max():
        return None
    row = names(case.expected.shape, case.axes)[-2]
    return f"What is added to the right numbers is the same for every {row}."


def _by_distance(case: Case) -> Measured:
    """For something that is added for how far a row's place is from a column's."""
    if not case.fits or min(case.got.shape[-2:], default=0) < 3:
        return None
    gaps = case.got - case.expected
    row, column = np.indices(gaps.shape[-2:])
    far = np.abs(row - column)
    each = [float(gaps[..., far == distance].flat[0]) for distance in range(int(far.max()) + 1)]
    if not alike(gaps, gaps * 0 + np.array(each)[far]):
        return None
    own = names(case.expected.shape, case.axes)
    return (
        f"What is added to a right number depends on how far {own[-2]} and {own[-1]} are apart: "
        f"{', '.join(f'{number(gap)} at {n}' for n, gap in enumerate(each[:4]))}."
    )


def _affine(case: Case) -> Measured:
    if not case.fits or not np.isfinite(case.got).all() or np.ptp(case.expected) <= 1e-9:
        return None
    if case.got.size < 3:
        return None
    factor, shift = (float(f) for f in np.polyfit(case.expected.ravel(), case.got.ravel(), 1))
    if not alike(factor * case.expected + shift, case.got) or abs(shift) < 1e-9 * abs(factor):
        return None
    return f"Every number is the right one times {number(factor)}, plus {number(shift)}."


def _one_sign(case: Case) -> Measured:
    if not case.fits or not np.isfinite(case.got).all():
        return None
    if not ((case.expected > 0).any() and (case.expected < 0).any()):
        return None
    right = np.isclose(case.got, case.expected, rtol=_NEAR)
    for sign, other, chosen in (
        ("positive", "negative", case.expected > 0),
        ("negative", "positive", case.expected < 0),
    ):
        if chosen.any() and (right == (chosen | (case.expected == 0))).all():
            return f"Numbers that must be {sign} are right; those that must be {other} are not."
    return None


def _same_order(cases: Sequence[Case]) -> Measured:
    """For a function that was applied to every number, the same in every call."""
    kept = [case for case in cases if case.fits and np.isfinite(case.got).all()]
    if not kept or len(kept) < len(cases):
        return None
    got = np.concatenate([case.got.ravel() for case in kept])
    right = np.concatenate([case.expected.ravel() for case in kept])
    order = np.argsort(right, kind="stable")
    if len(got) < 3 or np.ptp(got) == 0 or (np.diff(got[order]) < -_NEAR * np.ptp(got)).any():
        return None
    low, middle, high = (int(order[i]) for i in (0, len(order) // 2, -1))
    became = [
        f"{number(float(right[i]))} became {number(float(got[i]))}" for i in (low, middle, high)
    ]
    return (
        "Each of your numbers depends on the right one alone, as if a function had been applied to "
        f"every number: {', '.join(became)}."
    )


def _combination(case: Case) -> Measured:
    """For sums: what multiples of the arguments the result is."""
    parts = list(case.arguments.values())
    if len(parts) < 2 or any(part.shape != case.got.shape for part in parts):
        return None
    columns = np.stack([part.ravel() for part in parts], axis=-1)
    if len(columns) <= len(parts) or not np.isfinite(case.got).all():
        return None
    factors = np.linalg.lstsq(columns, case.got.ravel(), rcond=None)[0]
    if not alike((columns @ factors).reshape(case.got.shape), case.got):
        return None
    named = (f"{number(float(f))} times {n}" for f, n in zip(factors, case.arguments, strict=True))
    return f"{case.name} is {' plus '.join(named)}."


def _offset(cases: Sequence[Case]) -> Measured:
    """All numbers of each result are off by one summand; it may differ from call to call."""
    kept = [case for case in cases if _telling(case)]
    shifts = [shift for case in kept if (shift := _shift(case)) is not None]
    if not kept or len(shifts) < len(kept):
        return None
    told = f"Every number is the right one plus {number(shifts[0])}."
    others = [s for s in shifts if not math.isclose(s, shifts[0], rel_tol=1e-3)]
    return f"{told} For another input it is {number(others[0])}." if others else told


def _shift(case: Case) -> float | None:
    if not case.fits or case.got.size < 2:
        return None
    gaps = case.got - case.expected
    if not np.isfinite(gaps).all() or np.ptp(gaps) > _NEAR * (1 + np.abs(gaps).max()):
        return None
    if abs(gaps.flat[0]) <= 1e-4 * np.abs(case.expected).max():
        return None
    return float(gaps.flat[0])


def _row_factors(case: Case) -> Measured:
    if not case.fits or case.got.ndim < 2 or case.got.shape[-1] < 2:
        return None
    if not np.isfinite(case.got).all():
        return None
    ratios = np.where((case.got == 0) & (case.expected == 0), np.nan, case.got / case.expected)
    if np.isinf(ratios).any() or np.isnan(ratios).all(axis=-1).any():
        return None
    ratios = np.where(np.isnan(ratios), np.nanmax(ratios, axis=-1, keepdims=True), ratios)
    factors = span(ratios[..., 0])
    if _relative_range(ratios, -1) > _NEAR or factors == "1":
        return None
    return (
        f"Each row is the right one times a factor of its own, {factors}. "
        f"Your rows sum to {span(case.got.sum(-1))}; they should sum to "
        f"{span(case.expected.sum(-1))}."
    )


def _column_factors(case: Case) -> Measured:
    if not case.fits or case.got.ndim < 2 or case.got.shape[-2] < 2:
        return None
    ratios = case.got / case.expected
    if not np.isfinite(ratios).all() or _relative_range(ratios, -2) > _NEAR:
        return None
    axis = names(case.expected.shape, case.axes)[-1]
    factors = span(ratios[..., 0, :])
    if " to " not in factors:  # no factor of its own
        return None
    return f"For each {axis} all numbers are the right ones times one factor, {factors}."


def _relative_range(values: Array, axis: int) -> float:
    largest = np.abs(values).max(axis=axis)
    return float((np.ptp(values, axis=axis) / largest).max())


def _sums(case: Case) -> Measured:
    """For results whose rows add up to one: which axis does so instead?"""
    if not case.fits or case.got.ndim < 2 or not np.allclose(case.expected.sum(axis=-1), 1):
        return None
    if not np.isfinite(case.got).all() or np.allclose(case.got.sum(axis=-1), 1, atol=1e-5):
        return None
    own = names(case.expected.shape, case.axes)
    ones = [a for i, a in enumerate(own) if np.allclose(case.got.sum(axis=i), 1)]
    instead = f" Over the axis {ones[0]} they do." if ones else ""
    return f"Each row must add up to 1; yours add up to {span(case.got.sum(axis=-1))}.{instead}"


def _sums_of_one(case: Case) -> Measured:
    """For rows that add up to one, as after a softmax, where right ones do not."""
    if not case.fits or not np.allclose(case.got.sum(axis=-1), 1, atol=1e-5):
        return None
    right = case.expected.sum(axis=-1)
    if np.allclose(right, 1, atol=1e-2):
        return None
    axis = names(case.expected.shape, case.axes)[-1]
    return (
        f"Along {axis} every row of yours adds up to 1, as after a softmax. Right ones add up to "
        f"{span(right)}."
    )


def _shares(case: Case) -> Measured:
    """For rows that add up to one as they must, but are shared out in another way."""
    if not case.fits or case.got.ndim < 2 or not np.allclose(case.expected.sum(axis=-1), 1):
        return None
    if not np.allclose(case.got.sum(axis=-1), 1, atol=1e-5) or case.got.shape[-1] < 2:
        return None
    row = int(np.argmax(np.abs(case.got - case.expected).reshape(-1, case.got.shape[-1]).max(-1)))
    mine, right = (a.reshape(-1, a.shape[-1])[row] for a in (case.got, case.expected))
    high, low = int(np.argmax(right)), int(np.argmin(right))
    if not (mine > 0).all() or not right[low] > 0:
        return None
    axis = names(case.expected.shape, case.axes)[-1]
    return (
        f"Your rows add up to 1, as they must, but are shared out in another way: where {axis} "
        f"{high} must get {number(float(right[high] / right[low]))} times as much as {axis} {low}, "
        f"it gets {number(float(mine[high] / mine[low]))} times as much."
    )


def _standardised(case: Case) -> Measured:
    """For rows of mean 0 and of one spread, as a layer norm makes them, where right ones differ."""
    if not case.fits or not np.isfinite(case.got).all():
        return None
    spreads, right = case.got.std(axis=-1), case.expected.std(axis=-1)
    if np.abs(case.got.mean(axis=-1)).max() > _NEAR or not _relative(spreads) <= _ADDED:
        return None
    if _relative(right) < 10 * _ADDED:
        return None
    return (
        f"Along {names(case.expected.shape, case.axes)[-1]} every row of yours has the mean 0 and "
        f"the same spread as all others, {number(float(spreads.mean()))}: your rows are "
        "standardised. Right ones have means and spreads of their own."
    )


_ADDED = 1e-3
"""What the small number that is often added to a spread may change of it, as a share."""


def _relative(spreads: Array) -> float:
    return float(np.ptp(spreads) / spreads.max())


def _negative(case: Case) -> Measured:
    if not case.fits or (case.expected < 0).any() or not (case.got < 0).any():
        return None
    return f"No number can be negative here; your smallest is {number(float(case.got.min()))}."


def _zeros(case: Case) -> Measured:
    if not case.fits or not np.isfinite(case.got).all():
        return None
    holes = (case.got == 0) & (case.expected != 0)
    if not holes.any() or holes.all():
        return None
    above = np.triu(np.ones(case.got.shape[-2:], bool), 1) if case.got.ndim > 1 else ~holes
    where = " They are those above the diagonal." if (holes == above).all() else ""
    return f"{int(holes.sum())} of {holes.size} numbers are 0 and should not be.{where}"


def _only_at(cases: Sequence[Case]) -> Measured:
    """Where the wrong numbers are, if it is the same place of an axis, or side of a line."""
    told = [_spots(case) for case in cases if _telling(case)]
    common = [spot for spot in told[0] if all(spot in other for other in told)] if told else []
    return common[0] if common else None


def _spots(case: Case) -> list[str]:
    """All that is true of where a case is wrong."""
    if not case.fits or case.got.ndim < 2:
        return []
    bad = ~np.isclose(case.got, case.expected, rtol=_NEAR, atol=1e-9, equal_nan=True)
    own = names(case.expected.shape, case.axes)
    return [*_along_axes(bad, own), *_about_diagonal(bad, own)]


def _along_axes(bad: NDArray[np.bool_], own: Sequence[str]) -> Iterator[str]:
    for at, axis in enumerate(own):
        size = bad.shape[at]
        wrong = bad.any(axis=tuple(i for i in range(bad.ndim) if i != at))
        for which, is_so in ((wrong, "wrong"), (~wrong, "right")):
            if which.sum() == 1 and size > 1:
                yield f"Only {_ordinal(axis, int(np.flatnonzero(which)[0]), size)} is {is_so}."


def _about_diagonal(bad: NDArray[np.bool_], own: Sequence[str]) -> Iterator[str]:
    row, column = np.indices(bad.shape[-2:])
    for words, place in (
        ("on the diagonal", row == column),
        ("above the diagonal", row < column),
        ("below the diagonal", row > column),
        ("outside of the diagonal", row != column),
    ):
        if bad.any() and (bad == (place & bad.any(axis=(-1, -2), keepdims=True))).all():
            yield f"Only the numbers {words} are wrong ({own[-2]} against {own[-1]})."


def _ordinal(axis: str, index: int, size: int) -> str:
    """A place along an axis, the same in words for the last one of any size."""
    return f"the last {axis}" if index == size - 1 else f"{axis} {index}"


def _growing(case: Case) -> Measured:
    """For something like a place's number that is added on the way."""
    if not case.fits or case.got.ndim < 2 or case.got.shape[-2] < 3:
        return None
    gaps = case.got - case.expected
    for start in (0, 1):
        step = gaps[..., 1 - start : 2 - start, :]
        places = np.arange(start, start + gaps.shape[-2])[:, None]
        if np.abs(step).max() > 1e-9 and alike(gaps, places * step):
            row = names(case.expected.shape, case.axes)[-2]
            return (
                f"What is added to the right numbers grows with the place: at {row} 1, 2, 3 it is "
                + ("1, 2, 3" if start == 0 else "2, 3, 4")
                + f" times what it is at {row} {1 - start}."
            )
    return None


def _batch_equal(case: Case) -> Measured:
    own = names(case.expected.shape, case.axes)
    if not case.fits or not own or own[0].split()[0] != "batch" or len(case.got) < 2:
        return None
    same = all(alike(item, case.got[0]) for item in case.got[1:])
    differ = not all(alike(item, case.expected[0]) for item in case.expected[1:])
    if not same or not differ:
        return None
    return "All items of the batch came out the same, though they went in different."


def _scrambled(case: Case) -> Measured:
    if not case.fits or case.got.size < 4 or np.ptp(case.expected) <= 1e-4:
        return None
    if np.allclose(case.got, case.expected, rtol=1e-4):
        return None
    if alike(np.sort(case.got, axis=None), np.sort(case.expected, axis=None)):
        return (
            "Your numbers are the right ones in other places. `reshape` and `view` keep the order "
            "in memory; only `transpose` and `permute` move axes."
        )
    return None


def _few_digits(case: Case) -> Measured:
    """For numbers that a smaller dtype holds exactly, and that are right but for its rounding."""
    if not case.fits or case.got.size < 4 or not np.isfinite(case.got).all():
        return None
    largest = float(np.abs(case.expected).max(initial=0))
    if float(np.abs(case.got - case.expected).max()) > 2e-2 * largest:
        return None
    if not np.array_equal(case.got.astype("float16").astype(np.float64), case.got):
        return None
    return (
        "Your numbers are right to three digits, and no more: every one is a number of half "
        "precision. Which line names a smaller dtype?"
    )


def _almost(case: Case) -> Measured:
    if not case.fits or not np.isfinite(case.got).all():
        return None
    largest = float(np.abs(case.expected).max(initial=0))
    gap = float(np.abs(case.got - case.expected).max(initial=0))
    if largest == 0 or not 0 < gap <= 1e-5 * largest:
        return None
    return (
        f"Your numbers are off by only {gap / largest:.1g} of the largest: too much for float64's "
        "rounding. A smaller dtype inside, or a small constant that is added somewhere, does that."
    )


PROPERTIES = (
    Property("general/axes_swapped", every(_axes_swapped), whole=True),
    Property("general/other_result", every(_other_result), whole=True),
    Property("general/unchanged", every(_argument_returned), whole=True),
    Property("general/reshaped", every(_other_shape), whole=True),
    Property("general/zero", every(_all_zero), whole=True),
    Property("general/constant", first(_all_equal), whole=True),
    Property("general/ratio", _ratio, whole=True),
    Property("general/offset", _offset, whole=True),
    Property("general/affine", every(_affine), whole=True),
    Property("general/combination", every(_combination), whole=True),
    Property("general/standardised", every(_standardised), whole=True),
    Property("general/shape", first(_wrong_shape)),
    Property("general/not_finite", first(_not_finite)),
    Property("general/growing", every(_growing)),
    Property("general/by_distance", every(_by_distance)),
    Property("general/only_at", _only_at),
    Property("general/row_offsets", every(_row_offsets)),
    Property("general/same_for_rows", every(_same_for_rows)),
    Property("general/one_sign", every(_one_sign)),
    Property("general/few_digits", every(_few_digits)),
    Property("general/almost", every(_almost)),
    Property("general/batch_equal", first(_batch_equal)),
    Property("general/scrambled", first(_scrambled)),
    Property("general/row_factors", every(_row_factors)),
    Property("general/column_factors", every(_column_factors)),
    Property("general/row_sums", first(_sums)),
    Property("general/sums_of_one", every(_sums_of_one)),
    Property("general/negative", first(_negative)),
    Property("general/shares", first(_shares)),
    Property("general/holes", first(_zeros)),
    Property("general/same_order", _same_order),
)
"""Most telling first."""
