"""What a call costs beside the reference's: counted without a clock, the same on any machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..record import Cost

TITLE = "What one call costs, counted without a clock"
HEADS = ("", "yours", "reference", "")


def tells(cost: Sequence[Cost]) -> bool:
    """Whether there is anything to learn: some count is not the reference's."""
    return any(row.yours != row.reference for row in cost)


def cells(row: Cost) -> tuple[str, str, str, str]:
    """One row in words: what, yours, the reference's, and how many times that.

    >>> cells(Cost("operations", 60, 12))
    ('operations', '60', '12', '5 times')
    >>> cells(Cost("copies", 2, 0)), cells(Cost("bytes", 3050, 3000))
    (('copies', '2', '0', ''), ('bytes', '3,050', '3,000', ''))
    """
    return row.what, f"{row.yours:,}", f"{row.reference:,}", _times(row.times)


def _times(times: float) -> str:
    """A factor in words; empty where it is hardly one, or infinite."""
    if math.isinf(times) or round(times, 1) == 1:
        return ""
    return f"{round(times, 1 if times < 10 else None):,g} times"


def text(cost: Sequence[Cost]) -> str:
    """The table in plain text, numbers under each other, two columns in."""
    rows = [HEADS, *map(cells, cost)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    return "\n".join(f"  {_line(row, widths)}".rstrip() for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.ljust(width) if column in {0, 3} else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "   ".join([first, *others])
