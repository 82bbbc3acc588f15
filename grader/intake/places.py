"""Messages on a notebook, told by its cells: a learner knows no module, and no line of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..record import CheckResult, StageResult, SubmissionResult
from ..submission import Place

Tell = Callable[[str], str]
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

    stages = tuple(_stage(stage, tell) for stage in result.stages)
    chain = replace(result.chain, message=tell(result.chain.message))
    return replace(result, stages=stages, chain=chain)


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


def _stage(stage: StageResult, tell: Tell) -> StageResult:
    return replace(
        stage,
        checks=tuple(_check(check, tell) for check in stage.checks),
        diagnosis=tuple(replace(d, message=tell(d.message)) for d in stage.diagnosis),
        message=tell(stage.message),
    )


def _check(check: CheckResult, tell: Tell) -> CheckResult:
    return replace(check, message=tell(check.message))
