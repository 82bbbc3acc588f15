"""Messages on a notebook, told by its cells: a learner knows no module, and no line of one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..record import SubmissionResult
from ..retelling import retold
from ..submission import Place

_BEGINNING = 40
"""How much of a cell's first line names it."""


def told_by_cells(
    result: SubmissionResult, places: Mapping[str, Sequence[Place]], titles: Mapping[str, str]
) -> SubmissionResult:
    """A result whose messages name cells and their lines in place of modules and theirs.

    Args:
        result: the result; what it says of modules without places stays.
        places: where the lines of each module came from, by the module's name.
        titles: the stages' titles, by their names.
    """
    if not places:
        return result
    names = "|".join(map(re.escape, places))
    named = re.compile(rf'\b({names})\.py\b(?:("?), line (\d+))?')

    def tell(message: str) -> str:
        return named.sub(lambda found: _told(found, places, titles), message)

    return retold(result, tell, lambda check: replace(check, message=tell(check.message)))


def _told(
    found: re.Match[str], places: Mapping[str, Sequence[Place]], titles: Mapping[str, str]
) -> str:
    module, quote, number = found.groups()
    if number is None:
        return f"The cell of {titles[module]}"
    line = int(number)
    place = [p for p in places[module] if p.start <= max(line, 1)][-1]
    return f"{_cell(place, titles)}{quote}, line {max(place.line + line - place.start, 1)}"


def _cell(place: Place, titles: Mapping[str, str]) -> str:
    """How a learner knows a cell: by its stage, or by what it begins with."""
    if place.stage:
        return f"The cell of {titles[place.stage]}"
    cut = "…" if len(place.begins) > _BEGINNING else ""
    return f'Your cell that begins "{place.begins[:_BEGINNING]}{cut}"'
