"""The few numbers that show a difference: yours and expected, at most 4 × 4 each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .axes import place

WIDTH = 4
"""Rows and columns shown at most."""
DIGITS = range(4, 12)
"""How many decimal places numbers have: the first count that shows the worst difference."""


def worst(got: NDArray[np.float64], expected: NDArray[np.float64]) -> tuple[int, ...]:
    """Index of the largest difference; an entry that is not finite counts as the largest."""
    gap = np.abs(got - expected)
    gap = np.where(np.isfinite(gap), gap, np.inf)
    gap = np.where(got == expected, 0, gap)  # equal infinities differ by nan
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(gap)), gap.shape))


def side_by_side(
    got: NDArray[np.float64],
    expected: NDArray[np.float64],
    at: Sequence[int],
    axis_names: Sequence[str],
) -> str:
    """The neighbourhood of one entry in both arrays, as text.

    Args:
        got: the submission's numbers.
        expected: the right ones, same shape.
        at: the entry that must be shown.
        axis_names: one name for each axis.
    """
    if got.ndim == 0:
        digits = _digits(float(got), float(expected))
        pair = (_number(float(value), digits) for value in (got, expected))
        return "    yours {}, expected {}".format(*pair)
    got, expected = np.atleast_2d(got), np.atleast_2d(expected)
    index = (0,) * (got.ndim - len(at)) + tuple(at)
    rows, columns = _window(index[-2], got.shape[-2]), _window(index[-1], got.shape[-1])
    digits = _digits(float(got[index]), float(expected[index]))
    left = _lines(got[index[:-2]][rows, columns], "yours", digits)
    right = _lines(expected[index[:-2]][rows, columns], "expected", digits)
    head = _where(index, at, axis_names, rows, columns)
    width = max(len(line) for line in left)
    body = [f"    {a:<{width}}    {b}" for a, b in zip(left, right, strict=True)]
    return "\n".join([head, *(line.rstrip() for line in body)])


def _window(centre: int, size: int) -> slice:
    start = max(0, min(centre - 1, size - WIDTH))
    return slice(start, min(size, start + WIDTH))


def _where(
    index: Sequence[int], at: Sequence[int], axis_names: Sequence[str], rows: slice, columns: slice
) -> str:
    span = [f"{axis_names[-1]} {_span(columns)}"]
    if len(at) > 1:
        span.insert(0, f"{axis_names[-2]} {_span(rows)}")
    batch = place(index[-len(at) : -2], axis_names[:-2]) + ", " if len(at) > 2 else ""
    return f"  {batch}{', '.join(span)}:"


def _span(part: slice) -> str:
    return str(part.start) if part.stop == part.start + 1 else f"{part.start} to {part.stop - 1}"


def _digits(mine: float, right: float) -> int:
    told_apart = (n for n in DIGITS if _number(mine, n) != _number(right, n))
    return next(told_apart, DIGITS[0])


def _lines(block: NDArray[np.float64], title: str, digits: int) -> list[str]:
    cells = [[_number(float(value), digits) for value in row] for row in block]
    width = max(len(cell) for row in cells for cell in row)
    return [title, *("  ".join(f"{cell:>{width}}" for cell in row) for row in cells)]


def _number(value: float, digits: int) -> str:
    if not np.isfinite(value):
        return str(value)
    if value != 0 and not 1e-3 <= abs(value) < 1e4:
        return f"{value:.{digits - 2}e}"
    return f"{value:.{digits}f}"
