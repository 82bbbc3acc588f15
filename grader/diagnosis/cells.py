"""What was seen of an answer, in cells that can be compared, kept and saved.

An `Observation` holds the wrong cells only: what is not in it was right. So two answers behave the
same when their observations are the same, and a mistake that shows in one cell alone can be told
from any other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ..suite.probe import Array

CALL = "call"
RAISED = "raised"
"""The aspect of an exception: it stands for all results of its call."""


class Place(NamedTuple):
    """Where a cell was seen."""

    function: str
    look: str
    """What was done: `call 3` with the third diagnostic, `gradient`, `dtype float16`, `views` …"""
    aspect: str
    """What was wrong there: a result's or an argument's name, `raised`, `changed` …"""

    @property
    def number(self) -> int | None:
        """Which diagnostic it was, if it was one of the calls."""
        kind, _, number = self.look.partition(" ")
        return int(number) if kind == CALL else None


Kind: TypeAlias = Literal["numbers", "raised", "fact"]


@dataclass(frozen=True)
class Cell:
    """One wrong thing.

    Attributes:
        kind: wrong numbers, an exception, or a fact that is told in `text`.
        text: the exception's type and message, or the fact.
        array: the numbers, in float64.
        gap: the largest difference from the right numbers; inf where shapes differ.
        slight: the difference is as small as a few digits of float32.
        precision: the dtype, smaller than float64, that all the numbers fit into exactly.
        detail: not wrong by itself; it only tells otherwise equal mistakes apart.
        note: more about it for a message; it is not compared.
    """

    kind: Kind
    text: str = ""
    array: Array | None = None
    gap: float = np.inf
    slight: bool = False
    precision: str = ""
    detail: bool = False
    note: str = ""

    @cached_property
    def largest(self) -> float:
        """The largest of the numbers that are finite, without its sign; 0 if there is none."""
        return 0 if self.array is None else _largest(self.array)

    @cached_property
    def first(self) -> float:
        """The first of the numbers."""
        return 0 if self.array is None or not self.array.size else float(self.array.flat[0])


Observation: TypeAlias = Mapping[Place, Cell]

SLIGHT = 1e-5
"""A difference below this share of the largest number may come from a smaller dtype."""
_SAME = 1e-6
"""Two answers agree to this share of their largest number when they do the same."""
ROUNDING = 2e-2
"""What a smaller dtype may be off by, as a share, where it is no more than rounding."""
_OF_GAP = 0.05
"""And to this share of what both are off by, so that small differences are told apart as well."""


def numbers(got: Array, expected: Array, slight: float = SLIGHT) -> Cell:
    """A cell of numbers that are not the expected ones; `slight` is a share of the largest."""
    if got.shape != expected.shape:
        return Cell("numbers", array=got)
    gap = _gap(got, expected)
    return Cell("numbers", "", got, gap, gap <= slight * _largest(expected), _precision(got))


def same(a: Cell, b: Cell) -> bool:
    """Whether two cells show the same behaviour."""
    if a.kind != b.kind or a.text != b.text:
        return False
    if a.array is None or b.array is None:
        return a.array is b.array
    if a.array.shape != b.array.shape:
        return False
    bound = _bound(a, b) * max(a.largest, b.largest)
    if not _near(a.first, b.first, bound):  # most are told apart by that, a hundred times faster
        return False
    with np.errstate(invalid="ignore"):
        near = np.abs(a.array - b.array) <= bound
    equal = (a.array == b.array) | (np.isnan(a.array) & np.isnan(b.array))
    return bool((near | equal).all())


def _near(x: float, y: float, bound: float) -> bool:
    return abs(x - y) <= bound or x == y or (math.isnan(x) and math.isnan(y))


def _bound(a: Cell, b: Cell) -> float:
    """How far apart two cells of the same behaviour may be, for numbers of size 1."""
    scale = a.largest or 1
    if a.precision and a.precision == b.precision:  # the same few digits, rounded at other places
        gap = max(a.gap, b.gap) / scale
        return max(8 * float(np.finfo(a.precision).eps), 2 * gap if gap < ROUNDING else 0)
    return max(1e-12, min(_SAME, _OF_GAP * min(a.gap, b.gap) / scale))


def _gap(got: Array, expected: Array) -> float:
    with np.errstate(invalid="ignore"):
        difference = np.where(got == expected, 0, np.abs(got - expected))
    return float(np.max(np.where(np.isnan(difference), np.inf, difference), initial=0))


def _largest(values: Array) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0))


def _precision(values: Array) -> str:
    """The smallest dtype that holds these numbers exactly, where there are enough to tell."""
    if values.size < 4:
        return ""
    with np.errstate(over="ignore"):
        for name in ("float16", "float32"):
            if np.array_equal(values.astype(name).astype(np.float64), values):
                return name
    return ""
