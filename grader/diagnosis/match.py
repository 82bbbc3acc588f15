"""Matching: which known mistakes behave exactly as an answer does.

A mistake explains an answer's wrong cell when it is wrong there in the same way. It explains the
answer when it explains every wrong cell of a function, and is wrong nowhere else. Two mistakes may
do so together. Whatever is less than that is not a match, and is never told as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from .cells import RAISED, Cell, Observation, Place, same


@dataclass(frozen=True)
class Known:
    """A mistake as the matching sees it."""

    id: str
    replaces: str
    names: tuple[str, ...]
    """Ids of the mistakes to name: its own, or its parts'."""
    cells: Observation

    @cached_property
    def weight(self) -> Mapping[str, Collection[Place]]:
        """By function, the places where something needs an explanation."""
        functions = {place.function for place in self.cells}
        return {name: tuple(weighty(of_function(self.cells, name))) for name in functions}


@dataclass(frozen=True)
class _Fit:
    known: Known
    explained: frozenset[Place]
    details: int
    """How many cells agree that only tell equal mistakes apart."""

    def rank(self, function: str, told: Collection[str]) -> tuple[bool, bool, int, int]:
        """What was told already comes first, then the function's own, then one before several."""
        named = all(name in told for name in self.known.names)
        own = self.known.replaces == function
        return named, own, -len(self.known.names), self.details


def matches(
    mine: Observation, function: str, bank: Sequence[Known], told: Collection[str] = ()
) -> tuple[str, ...]:
    """Ids of the mistakes that together behave as the answer's function does; none if none do.

    What was `told` of another function already is the likeliest here, too.
    """
    wrong = weighty(of_function(mine, function))
    fits = [fit for known in bank if (fit := _fit(mine, wrong, known, function)) is not None]
    fits = fits or _limits(wrong, bank, function)
    single = _best([fit for fit in fits if fit.explained == wrong.keys()], function, told)
    if single:
        return _names(single)
    return _names(_pair(fits, frozenset(wrong), function, told))


def nearest(
    mine: Observation, function: str, bank: Sequence[Known]
) -> tuple[Known, frozenset[Place]] | None:
    """The mistake that explains most wrong cells, and which.

    They must be at least half of all, with the numbers of two calls among them, all of them finite:
    less may be luck.
    """
    wrong = weighty(of_function(mine, function))
    fits = [fit for known in bank if (fit := _fit(mine, wrong, known, function)) is not None]
    best = max(fits, key=lambda fit: len(fit.explained), default=None)
    if best is None or 2 * len(best.explained) < len(wrong):
        return None
    arrays = [wrong[place].array for place in best.explained]
    if sum(array is not None and bool(np.isfinite(array).all()) for array in arrays) < 2:
        return None
    return best.known, best.explained


def of_function(cells: Observation, function: str) -> dict[Place, Cell]:
    """The cells of one function."""
    return {place: cell for place, cell in cells.items() if place.function == function}


def weighty(cells: Mapping[Place, Cell]) -> dict[Place, Cell]:
    """The cells that need an explanation: slight differences only where there is nothing else."""
    wrong = {place: cell for place, cell in cells.items() if not cell.detail}
    return {place: cell for place, cell in wrong.items() if not cell.slight} or wrong


def _fit(
    mine: Observation, wrong: Mapping[Place, Cell], known: Known, function: str
) -> _Fit | None:
    if any(not _wrong_there(mine, place) for place in known.weight.get(function, ())):
        return None
    theirs = of_function(known.cells, function)
    shared = {place: theirs[place] for place in wrong if place in theirs}
    alike = {place for place, cell in shared.items() if same(wrong[place], cell)}
    if not alike:
        return None
    # Once something is the same, an exception in other words may come from the same mistake.
    alike |= {p for p, cell in shared.items() if cell.kind == "raised" == wrong[p].kind}
    return _Fit(known, frozenset(alike), _details(mine, theirs))


def _limits(wrong: Mapping[Place, Cell], bank: Sequence[Known], function: str) -> list[_Fit]:
    """Mistakes that raise for the same calls, in other words, where some calls come out right.

    Whoever can only do matrices, say, has a limit, and what PyTorch says depends on the operation.
    """
    places = {known.id: weighty(of_function(known.cells, function)) for known in bank}
    asked = {place.number for cells in places.values() for place in cells}
    all_wrong = asked <= {None, *(place.number for place in wrong)}
    if all_wrong or any(cell.kind != "raised" for cell in wrong.values()):
        return []
    return [
        _Fit(known, frozenset(wrong), 0)
        for known in bank
        if places[known.id].keys() == wrong.keys()
        and all(_kind(cell) == _kind(wrong[p]) for p, cell in places[known.id].items())
    ]


_NO_EXCEPTION = "exceptions must derive from BaseException"
"""What Python says of `raise "a text"`, as a TypeError, which is none of the learner's."""


def _kind(cell: Cell) -> str:
    """What kind of thing a cell is; of an exception, its type, or that it was none."""
    if cell.kind != "raised":
        return cell.kind
    return _NO_EXCEPTION if _NO_EXCEPTION in cell.text else cell.text.partition(":")[0]


def _wrong_there(mine: Observation, place: Place) -> bool:
    """Whether an answer is wrong at a place, or raised before anything could be seen there."""
    return place in mine or place._replace(aspect=RAISED) in mine


def _details(mine: Observation, theirs: Mapping[Place, Cell]) -> int:
    """Cells that agree beyond what must be explained, less those that do not."""
    rest = {p: c for p, c in theirs.items() if p in mine and (c.detail or c.slight)}
    return sum(1 if same(mine[place], cell) else -1 for place, cell in rest.items())


def _best(fits: Sequence[_Fit], function: str, told: Collection[str]) -> list[_Fit]:
    if not fits:
        return []
    top = max(fit.rank(function, told) for fit in fits)
    return [fit for fit in fits if fit.rank(function, told) == top]


def _pair(
    fits: Sequence[_Fit], wrong: frozenset[Place], function: str, told: Collection[str]
) -> list[_Fit]:
    """Two mistakes that explain everything together, each something that the other does not."""
    pairs = [
        pair
        for pair in combinations(fits, 2)
        if pair[0].explained | pair[1].explained == wrong
        and _adds(pair[0], pair[1], len(wrong))
        and _adds(pair[1], pair[0], len(wrong))
    ]
    return list(max(pairs, key=lambda pair: _pair_rank(pair, function, told), default=()))


def _adds(fit: _Fit, other: _Fit, wrong: int) -> bool:
    """Whether a mistake explains something that another does not, by more than luck.

    A fact does, or where numbers overflow and where not. Of plain numbers it must be those of two
    calls, and a quarter of all that is wrong.
    """
    cells = [fit.known.cells[place] for place in fit.explained - other.explained]
    finite = [np.isfinite(cell.array) for cell in cells if cell.array is not None]
    some = any(part.any() and not part.all() for part in finite)
    plain = sum(bool(part.any()) for part in finite)
    return len(finite) < len(cells) or some or plain > max(1, wrong / 4)


def _pair_rank(pair: Sequence[_Fit], function: str, told: Collection[str]) -> tuple[int, Any]:
    """Few mistakes before many, then as for each alone."""
    return -len(_names(pair)), sorted((fit.rank(function, told) for fit in pair), reverse=True)


def _names(fits: Iterable[_Fit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for fit in fits for name in fit.known.names))
