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

from ..suite.axes import guessed_shape, named_shape, names
from ..suite.probe import Array
from .case import Case, number, span

Measured = str | None
Measure = Callable[[Case], Measured]
_NEAR = 1e-6


@dataclass(frozen=True)
class Property:
    """One measured property.

    Attributes:
        id: stable, without a stage's name: `general/ratio`.
        measure: the statement about an answer's wrong results, or None where it does not hold.
    """

    id: str
    measure: Callable[[Sequence[Case]], Measured]


def found(cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """The properties of an answer's wrong results, most telling first: id and statement."""
    for known in PROPERTIES:
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
        if order != tuple(range(case.got.ndim)) and _alike(case.got, turned):
            shown = names(case.expected.shape, case.axes)
            yours, wanted = ", ".join(shown[i] for i in order), ", ".join(shown)
            return f"Your numbers are right, but the axes are ({yours}); expected ({wanted})."
    return None


def _other_shape(case: Case) -> Measured:
    if case.fits or case.got.size != case.expected.size:
        return None
    if _alike(case.got.reshape(case.expected.shape), case.expected):
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
        if name != case.name and _alike(case.got, right):
            return f"Where {case.name} belongs you returned {name}."
    return None


def _argument_returned(case: Case) -> Measured:
    for name, value in case.arguments.items():
        if _alike(case.got, value):
            return f"{case.name} is {name} as it came, unchanged."
    return None


def _not_finite(case: Case) -> Measured:
    bad = ~np.isfinite(case.got)
    if not case.fits or not bad.any() or not np.isfinite(case.expected).all():
        return None
    kinds = "nan" if np.isnan(case.got[bad]).all() else "inf or nan"
    at = case.where([int(i) for i in np.argwhere(bad)[0]])
    others = not bad.all() and _alike(case.got[~bad], case.expected[~bad])
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
    if case.fits and case.got.size > 1 and np.ptp(case.got) <= _NEAR * np.abs(case.got).max():
        return f"Every number of {case.name} is {number(float(case.got.flat[0]))}."
    return None


def _ratio(cases: Sequence[Case]) -> Measured:
    """All numbers of each result are off by one factor; it may differ from call to call."""
    factors = [_factor(case) for case in cases]
    if None in factors or cases[0].got.size < 2:
        return None
    forms = [
        {name: told for value, name, told in _forms(case) if math.isclose(f, value, rel_tol=_NEAR)}
        for f, case in zip(factors, cases, strict=True)
        if f is not None
    ]
    common = set.intersection(*map(set, forms))
    known = f", which is {forms[0][common.pop()]}" if len(common) == 1 else ""
    return f"Every number is the right one times {factors[0]:.4g}{known}."


def _factor(case: Case) -> float | None:
    if not case.fits or not np.isfinite(case.got).all():
        return None
    kept = np.abs(case.expected) > 1e-200  # what is smaller may have lost its digits
    if not kept.any() or not _alike(case.got[~kept], case.expected[~kept]):
        return None
    ratios = case.got[kept] / case.expected[kept]
    factor = float(ratios.flat[0])
    same = np.allclose(ratios, factor, rtol=_NEAR, atol=0)
    return factor if same and abs(factor - 1) >= 1e-4 else None


def _forms(case: Case) -> Iterator[tuple[float, str, str]]:
    """What a factor may be in terms of the call's sizes: its value, its form, and both in words."""
    for axis, size in case.sizes.items():
        for power, form in _POWERS:
            name = form.format(axis)
            yield power(size), name, f"{name} with {axis} = {size}"
    for (a, m), (b, n) in permutations(case.sizes.items(), 2):
        name = f"√({a} / {b})"
        yield math.sqrt(m / n), name, f"{name} with {a} = {m} and {b} = {n}"


_POWERS: tuple[tuple[Callable[[float], float], str], ...] = (
    (math.sqrt, "√{}"),
    (lambda n: 1 / math.sqrt(n), "1/√{}"),
    (float, "{}"),
    (lambda n: 1 / n, "1/{}"),
)


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


def _affine(case: Case) -> Measured:
    if not case.fits or not np.isfinite(case.got).all() or np.ptp(case.expected) <= 1e-9:
        return None
    if case.got.size < 3:
        return None
    factor, shift = (float(f) for f in np.polyfit(case.expected.ravel(), case.got.ravel(), 1))
    if not _alike(factor * case.expected + shift, case.got):
        return None
    return f"Every number is the right one times {number(factor)}, plus {number(shift)}."


def _one_sign(case: Case) -> Measured:
    if not case.fits or not np.isfinite(case.got).all():
        return None
    right = np.isclose(case.got, case.expected, rtol=_NEAR)
    for sign, other, chosen in (
        ("positive", "negative", case.expected > 0),
        ("negative", "positive", case.expected < 0),
    ):
        if chosen.any() and (right == (chosen | (case.expected == 0))).all():
            return f"Numbers that must be {sign} are right; those that must be {other} are not."
    return None


def _same_order(case: Case) -> Measured:
    """For a function that was applied to every number."""
    if not case.fits or not np.isfinite(case.got).all() or np.ptp(case.got) == 0:
        return None
    order = np.argsort(case.expected, axis=None)
    if case.got.size < 3 or (np.diff(case.got.ravel()[order]) < 0).any():
        return None
    return (
        "Your numbers are in the same order as the right ones, from the smallest to the largest, "
        f"but reach from {number(float(case.got.min()))} to {number(float(case.got.max()))} "
        f"instead of from {number(float(case.expected.min()))} to "
        f"{number(float(case.expected.max()))}."
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
    if not _alike((columns @ factors).reshape(case.got.shape), case.got):
        return None
    named = (f"{number(float(f))} times {n}" for f, n in zip(factors, case.arguments, strict=True))
    return f"{case.name} is {' plus '.join(named)}."


def _offset(case: Case) -> Measured:
    if not case.fits or case.got.size < 2:
        return None
    gaps = case.got - case.expected
    if not np.isfinite(gaps).all() or np.ptp(gaps) > _NEAR * (1 + np.abs(gaps).max()):
        return None
    if abs(gaps.flat[0]) <= 1e-4 * np.abs(case.expected).max():
        return None
    return f"Every number is the right one plus {number(float(gaps.flat[0]))}."


def _row_factors(case: Case) -> Measured:
    if not case.fits or case.got.ndim < 2 or case.got.shape[-1] < 2:
        return None
    ratios = case.got / case.expected
    if not np.isfinite(ratios).all() or _relative_range(ratios, -1) > _NEAR:
        return None
    return (
        f"Each row is the right one times a factor of its own, {span(ratios[..., 0])}. "
        f"Your rows sum to {span(case.got.sum(-1))}; they should sum to "
        f"{span(case.expected.sum(-1))}."
    )


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


def _batch_equal(case: Case) -> Measured:
    own = names(case.expected.shape, case.axes)
    if not case.fits or not own or own[0].split()[0] != "batch" or len(case.got) < 2:
        return None
    same = all(_alike(item, case.got[0]) for item in case.got[1:])
    differ = not all(_alike(item, case.expected[0]) for item in case.expected[1:])
    if not same or not differ:
        return None
    return "All items of the batch came out the same, though they went in different."


def _batches(case: Case) -> bool:
    return any(a.startswith("batch") for a in names(case.expected.shape, case.axes))


def _scrambled(case: Case) -> Measured:
    if not case.fits or case.got.size < 4 or np.ptp(case.expected) <= 1e-4:
        return None
    if np.allclose(case.got, case.expected, rtol=1e-4):
        return None
    if _alike(np.sort(case.got, axis=None), np.sort(case.expected, axis=None)):
        return (
            "Your numbers are the right ones in other places. `reshape` and `view` keep the order "
            "in memory; only `transpose` and `permute` move axes."
        )
    return None


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


def _alike(got: Array, expected: Array) -> bool:
    if got.shape != expected.shape:
        return False
    scale = float(np.abs(expected[np.isfinite(expected)]).max(initial=0))
    return bool(np.allclose(got, expected, rtol=_NEAR, atol=1e-9 * scale, equal_nan=True))


PROPERTIES = (
    Property("general/axes_swapped", first(_axes_swapped)),
    Property("general/other_result", first(_other_result)),
    Property("general/unchanged", first(_argument_returned)),
    Property("general/reshaped", first(_other_shape)),
    Property("general/shape", first(_wrong_shape)),
    Property("general/not_finite", first(_not_finite)),
    Property("general/zero", every(_all_zero)),
    Property("general/constant", first(_all_equal)),
    Property("general/ratio", _ratio),
    Property("general/offset", every(_offset)),
    Property("general/row_offsets", every(_row_offsets)),
    Property("general/affine", every(_affine)),
    Property("general/combination", every(_combination)),
    Property("general/same_for_rows", every(_same_for_rows)),
    Property("general/one_sign", every(_one_sign)),
    Property("general/almost", every(_almost)),
    Property("general/batch_equal", first(_batch_equal)),
    Property("general/scrambled", first(_scrambled)),
    Property("general/row_factors", every(_row_factors)),
    Property("general/row_sums", first(_sums)),
    Property("general/negative", first(_negative)),
    Property("general/holes", first(_zeros)),
    Property("general/same_order", every(_same_order)),
)
"""Most telling first."""


def only_special(cases: Sequence[Case]) -> Measured:
    """Whether an answer is wrong only for inputs that are special in some way, and for which."""
    notes = dict.fromkeys(case.probe.note for case in cases)
    if not all(notes):
        return None
    return f"Ordinary inputs come out right. Wrong are: {'; '.join(list(notes)[:3])}."


def only_with_batches(cases: Sequence[Case]) -> Measured:
    """Whether an answer is wrong only where there is a batch axis."""
    if not all(_batches(case) for case in cases):
        return None
    return "Without a batch axis your answer is right; with one it is not."
