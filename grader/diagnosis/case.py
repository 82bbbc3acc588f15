"""One wrong result beside the right one, and the figures that sentences quote from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import torch

from ..suite.axes import guessed_shape, named_shape, names, place
from ..suite.excerpt import worst
from ..suite.probe import Array, Probe
from .cells import Cell, Observation, Place
from .designs import Diagnostic
from .match import of_function


@dataclass(frozen=True)
class Case:
    """What an answer made of one probe, where that is not right.

    Attributes:
        probe: the call.
        name: which result.
        got: the answer's numbers.
        others: the answer's other results of this call that are wrong too, by name.
    """

    probe: Probe
    name: str
    got: Array
    others: Mapping[str, Array]

    @property
    def axes(self) -> str:
        """The axes that the result should have."""
        return self.probe.function.results[self.name]

    @property
    def expected(self) -> Array:
        """The right numbers."""
        results = zip(self.probe.function.results, self.probe.expected(torch.float64), strict=True)
        return dict(results)[self.name]

    @property
    def fits(self) -> bool:
        """Whether the shape is right."""
        return self.got.shape == self.expected.shape

    @property
    def arguments(self) -> dict[str, Array]:
        """The array arguments, by name."""
        return {n: a for n, a in self.probe.arguments.items() if isinstance(a, np.ndarray)}

    @property
    def sizes(self) -> dict[str, int]:
        """The size of every axis that the call or its result names."""
        own = zip(names(self.expected.shape, self.axes), self.expected.shape, strict=True)
        plain_ints = {n: v for n, v in self.probe.arguments.items() if isinstance(v, int)}
        return {**self.probe.sizes, **plain_ints, **dict(own)}

    def where(self, index: Sequence[int]) -> str:
        """An entry of the result in words; a shorter index means a row, or a matrix."""
        return place(index, names(self.expected.shape, self.axes)[: len(index)])


@dataclass(frozen=True)
class Seen:
    """What an answer made of one call, right or wrong.

    Attributes:
        probe: the call.
        results: the answer's numbers, by the name of the result.
        wrong: the names of the results that are not right.
    """

    probe: Probe
    results: Mapping[str, Array]
    wrong: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many numbers came back."""
        return sum(array.size for array in self.results.values())

    @cached_property
    def right(self) -> dict[str, Array]:
        """The right results, by name."""
        expected = self.probe.expected(torch.float64)
        return dict(zip(self.probe.function.results, expected, strict=True))

    @cached_property
    def largest(self) -> dict[str, int]:
        """Where the largest number of each result stands: most comparisons end there."""
        return {n: int(np.argmax(np.abs(a))) for n, a in self.results.items() if a.size}


def telling(call: Seen) -> bool:
    """Whether a wrong result has several rows and columns, so that what fits it fits by no luck."""
    return any(
        min(call.right[name].shape[-2:], default=1) > 1 and bool(np.ptp(call.right[name]) > 0)
        for name in call.wrong
    )


def seen(mine: Observation, function: str, diagnostics: Sequence[Diagnostic]) -> list[Seen]:
    """The calls of one function that gave numbers, in the order of the probes."""
    found = []
    for number_, design in enumerate(diagnostics):
        if isinstance(design, Probe) and design.function.name == function:
            cells = {p.aspect: c for p, c in mine.items() if p[:2] == (function, f"call {number_}")}
            if all(cell.array is not None for cell in cells.values()):
                right = zip(design.function.results, design.expected(torch.float64), strict=True)
                arrays = {n: cells[n].array if n in cells else a for n, a in right}
                found.append(Seen(design, arrays, tuple(cells)))  # type: ignore[arg-type]
    return found


_NEAR = 1e-6


def alike(got: Array, expected: Array) -> bool:
    """Whether two arrays hold the same numbers, but for rounding."""
    if got.shape != expected.shape:
        return False
    finite = np.isfinite(expected)
    sizes = np.abs(expected)
    with np.errstate(invalid="ignore"):  # np.allclose takes twice as long
        near = np.abs(got - expected) <= _NEAR * sizes + 1e-9 * sizes[finite].max(initial=0)
    equal = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return bool((near & finite | equal).all())


def apart(call: Seen, found: Mapping[str, Array]) -> bool:
    """Whether other results differ from a call's at its largest numbers already."""
    return any(
        found[name].shape != call.results[name].shape
        or _far(float(call.results[name].flat[top]), float(found[name].flat[top]))
        for name, top in call.largest.items()
    )


def _far(a: float, b: float) -> bool:
    return abs(a - b) > 10 * _NEAR * max(abs(a), abs(b))


def cases(mine: Observation, function: str, diagnostics: Sequence[Diagnostic]) -> list[Case]:
    """The wrong results of one function, in the order of the probes."""
    wrong = {p: c for p, c in of_function(mine, function).items() if c.kind == "numbers"}
    return [
        Case(probe, spot.aspect, cell.array, _others(wrong, spot))
        for spot, cell in wrong.items()
        if spot.number is not None
        and isinstance(probe := diagnostics[spot.number], Probe)
        and cell.array is not None
    ]


def _others(wrong: Mapping[Place, Cell], spot: Place) -> dict[str, Array]:
    return {
        other.aspect: cell.array
        for other, cell in wrong.items()
        if other.look == spot.look and other != spot and cell.array is not None
    }


def figures(mine: Observation, function: str, diagnostics: Sequence[Diagnostic]) -> dict[str, str]:
    """Every figure that an evidence may quote and that this answer has, as text."""
    found = {}
    own = cases(mine, function, diagnostics)
    if own:
        found.update(_of_case(own[0]))
    for spot, cell in of_function(mine, function).items():
        if spot.look.startswith("dtype") and cell.kind == "fact":
            found.setdefault("dtypes", f"Here {cell.text}.")
        elif spot.aspect == "changed":
            found["changed"] = cell.note
        elif cell.kind == "raised":
            found.setdefault("error", cell.text)
    return found


def quoted(text: str, known: Mapping[str, str]) -> str:
    """A template with its figures; empty where this answer lacks one of them."""
    try:
        return text.format_map(known)
    except KeyError:
        return ""


def number(value: float) -> str:
    """A number for a sentence."""
    return f"{value:.4g}"


def span(values: Array) -> str:
    """Several numbers in short: the one that they all are, or from where to where they reach.

    >>> span(np.array([1.0, 1.0]))
    '1'
    """
    low, high = float(np.min(values)), float(np.max(values))
    if not np.isfinite(values).all():
        return "numbers that are not all finite"
    return number(low) if number(low) == number(high) else f"{number(low)} to {number(high)}"


Measure = Callable[[Case], str]

ALWAYS: Mapping[str, Measure] = MappingProxyType(
    {
        "shape": lambda c: guessed_shape(c.got.shape, c.sizes),
        "expected_shape": lambda c: named_shape(c.expected.shape, c.axes),
        "smallest": lambda c: number(float(np.fmin.reduce(c.got, axis=None))),
        "largest": lambda c: number(float(np.fmax.reduce(c.got, axis=None))),
        "total": lambda c: number(float(c.got.sum())),
        "smallest_input": lambda c: number(min(_finite(a).min() for a in c.arguments.values())),
        "largest_input": lambda c: number(max(_finite(a).max() for a in c.arguments.values())),
    }
)
"""Figures of any wrong result."""

IN_SHAPE: Mapping[str, Measure] = MappingProxyType(
    {
        "row_sums": lambda c: span(c.got.sum(axis=-1)),
        "column_sums": lambda c: span(c.got.sum(axis=-2)),
        "ratio": lambda c: number(float(np.median(_finite(c.got / c.expected)))),
        "place": lambda c: c.where(worst(c.got, c.expected)),
        "yours": lambda c: number(float(c.got[worst(c.got, c.expected)])),
        "expected": lambda c: number(float(c.expected[worst(c.got, c.expected)])),
    }
)
"""Figures of a wrong result of the right shape: of its worst entry, its rows and its columns."""


def _of_case(case: Case) -> dict[str, str]:
    measures = {**ALWAYS, **(IN_SHAPE if case.fits else {})}
    with np.errstate(all="ignore"):
        found = {name: measure(case) for name, measure in measures.items() if case.got.size}
    found.update({axis: str(size) for axis, size in case.sizes.items()})
    bad = np.argwhere(~np.isfinite(case.got))
    if len(bad) and case.fits:
        found["bad_place"] = case.where([int(i) for i in bad[0]])
    return found


def _finite(values: Array) -> Array:
    kept: Array = values[np.isfinite(values)]
    return kept if kept.size else np.zeros(1)
