"""What an answer depends on: parts of its arguments are changed, and one looks what else changes.

This finds what no comparison of numbers does: an argument that is never used, a token that is left
out, items of a batch that see each other, and a mask by habit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..subject import Subject
from ..suite.axes import names, place
from ..suite.kept import NotKept
from ..suite.probe import Array, Probe
from .asif import called
from .calls import array_of, attempted, quietly

Mask: TypeAlias = NDArray[np.bool_]
MAX_CALLS = 30
"""How often the answer is called for it, at most, and three times as often to be sure of it."""


@dataclass(frozen=True)
class Influence:
    """What changes with the parts of one argument along one of its axes.

    Attributes:
        argument: the argument's name.
        axis: the axis along which one part after the other is changed.
        mine: whether each number of the result changes with each part; the parts come first.
        right: whether it should.
        ever: the same as `mine`, for whatever the parts are changed to.
        result: the names of the result's axes.
    """

    argument: str
    axis: str
    mine: Mask
    right: Mask
    ever: Mask
    result: list[str]


def statements(subject: Subject, probes: Iterable[Probe]) -> Iterator[tuple[str, str]]:
    """What depends on too little or too much, most telling first: id and statement.

    Args:
        subject: the answer.
        probes: what is changed, one after the other, each along axes that those before have not.
    """
    looked: set[str] = set()
    for probe in probes:
        try:
            with quietly():
                found = list(_influences(subject, probe, looked))
        except NotKept:  # what should depend on what is known where the right function is, only
            return
        yield from _told(found)
        looked |= {axis for name, value in _arrays(probe) for axis in _axes(probe, name, value)}


def _told(found: Sequence[Influence]) -> Iterator[tuple[str, str]]:
    for id_, told in _TOLD:
        statement = next(filter(None, map(told, found)), None)
        if statement:
            yield id_, statement


def _arrays(probe: Probe) -> list[tuple[str, Array]]:
    return [(name, a) for name, a in probe.arguments.items() if not isinstance(a, int)]


def _axes(probe: Probe, name: str, value: Array) -> list[str]:
    return names(value.shape, probe.function.axes[name])


def _influences(subject: Subject, probe: Probe, but: Collection[str]) -> Iterator[Influence]:
    base = _called(subject, probe, [{}])[0]
    if base is None or base.shape != probe.expected(torch.float64)[0].shape:
        return
    wanted, rng, calls = _oracle(probe, {}), np.random.default_rng(0), 0
    for name, value in _arrays(probe):
        for at, axis in enumerate(_axes(probe, name, value)):
            if axis in but:
                continue
            calls += value.shape[at]
            if value.shape[at] < 2 or calls > MAX_CALLS:
                continue
            parts = [{name: _changed(value, at, i, rng)} for i in range(value.shape[at])]
            mine = [_changes(base, got) for got in _called(subject, probe, parts)]
            right = [_changes(wanted, _oracle(probe, part)) for part in parts]
            if all(mask is not None for mask in mine):
                axes = names(base.shape, next(iter(probe.function.results.values())))
                found, due = np.array(mine), np.array(right)
                ever = _ever(subject, probe, (name, at), found, due, rng)
                yield Influence(name, axis, found, due, ever, axes)


def _changed(value: Array, at: int, index: int, rng: np.random.Generator, step: float = 1) -> Array:
    changed = value.copy()
    part = np.moveaxis(changed, at, 0)
    part[index] = part[index] + step * rng.uniform(2, 4, part[index].shape)
    return changed


def _ever(
    subject: Subject,
    probe: Probe,
    axis: tuple[str, int],
    mine: Mask,
    due: Mask,
    rng: np.random.Generator,
) -> Mask:
    """Whether any other change of each part changes the result, or may do so.

    Weights that are all but 0 and 1 hardly change: so the parts are made much larger and much
    smaller than all else, and changed again where all arguments are small. No part is tried again
    once it has changed all that it should.
    """
    arrays = dict(_arrays(probe))
    small = {n: rng.normal(scale=0.1, size=v.shape) for n, v in arrays.items()}
    ever = mine.copy()
    for start, by in ((arrays, _FAR), (arrays, -_FAR), (small, 1.0)):
        missing = [i for i, part in enumerate(due & ~ever) if part.any()]
        if missing:
            ever[missing] |= _trial(subject, probe, axis, missing, start, by, rng)
    return ever


def _trial(
    subject: Subject,
    probe: Probe,
    axis: tuple[str, int],
    which: Sequence[int],
    start: Mapping[str, Array],
    by: float,
    rng: np.random.Generator,
) -> Mask:
    """What changes with parts, changed by so many times the largest number; all if it fails."""
    name, at = axis
    step = by * float(np.abs(start[name]).max())
    parts = [{**start, name: _changed(start[name], at, i, rng, step)} for i in which]
    before, *after = _called(subject, probe, [start, *parts])
    if before is None or before.shape != probe.expected(torch.float64)[0].shape:
        return np.array(True)
    masks = [_changes(before, got) for got in after]
    return np.array([np.full(before.shape, True) if mask is None else mask for mask in masks])


_FAR = 10.0
"""Times the largest number of an argument: beyond all others of it."""


def _called(
    subject: Subject, probe: Probe, changes: Sequence[Mapping[str, Array]]
) -> list[Array | None]:
    """The first result of a probe's call with each of these changes, where it has numbers."""
    calls = [
        [
            value if isinstance(value, int) else torch.tensor(value, dtype=torch.float64)
            for value in {**probe.arguments, **changed}.values()
        ]
        for changed in changes
    ]
    return [attempted(_first, got) for got in subject.at_once(probe.function.name, calls)]


def _first(got: Any) -> Array | None:
    got = got[0] if isinstance(got, tuple | list) and got else got
    return array_of(got) if isinstance(got, Tensor) else None


def _oracle(probe: Probe, changed: Mapping[str, Array]) -> Array:
    with np.errstate(all="ignore"):
        return next(iter(called(probe, changed).values()))


def _changes(before: Array, after: Array | None) -> Mask | None:
    if after is None or after.shape != before.shape:
        return None
    with np.errstate(invalid="ignore"):
        far: Mask = np.abs(after - before) > 1e-9 * np.abs(before) + 1e-15
    changes: Mask = far | (np.isnan(after) != np.isnan(before))
    return changes


def _unused(seen: Influence) -> str:
    if seen.ever.any() or not seen.right.any():
        return ""
    return f"{seen.argument} has no influence on your result."


def _left_out(seen: Influence) -> str:
    parts = zip(seen.ever, seen.right, strict=True)
    missing = [i for i, (ever, right) in enumerate(parts) if right.any() and not ever.any()]
    if not missing or not seen.ever.any():  # that the argument is unused says it all
        return ""
    has = "have" if len(missing) > 1 else "has"
    return f"{_parts(seen.axis, missing)} of {seen.argument} {has} no influence on your result."


def _parts(axis: str, which: Sequence[int]) -> str:
    """Parts along an axis: "key 0", "key 0 and 2", "items 1 and 2 along batch axis 1"."""
    several = "s" if len(which) > 1 else ""
    listed = " and ".join(filter(None, [", ".join(map(str, which[:-1])), str(which[-1])]))
    if axis.startswith("batch"):
        named = f"batch axis {axis.partition(' ')[2]}" if " " in axis else "the batch axis"
        return f"item{several} {listed} along {named}"
    return f"{axis} {listed}"


def _mixed(seen: Influence) -> str:
    extra = seen.mine & ~seen.right
    if not seen.axis.startswith("batch") or not extra.any():
        return ""
    at = seen.result.index(seen.axis) if seen.axis in seen.result else 0
    part, *where = (int(i) for i in np.argwhere(extra)[0])
    return (
        f"The items of a batch see each other: a change of item {part} in {seen.argument} changes "
        f"item {where[at]} of your result."
    )


def _only_before(seen: Influence) -> str:
    """For a mask: a row depends on what comes before it, or up to it."""
    ever = seen.ever
    if ever.ndim < 3 or (ever & ~seen.right).any() or not ever.any():
        return ""
    rows = np.moveaxis(ever, -2, 1).reshape(len(ever), ever.shape[-2], -1).any(-1)
    wanted = np.moveaxis(seen.right, -2, 1).reshape(*rows.shape, -1).any(-1)
    part, row = map(np.asarray, np.indices(rows.shape))
    axes = "queries" if seen.axis == "query" else f"{seen.axis}s"
    for words, kept in _KEPT:
        if (rows == (wanted & kept(part, row))).all() and (rows != wanted).any():
            where = words.format(axis=seen.axis, axes=axes, row=seen.result[-2], name=seen.argument)
            return f"Not every {seen.result[-2]} sees every {seen.axis}: {where}."
    return ""


_KEPT: tuple[tuple[str, Callable[[Any, Any], Mask]], ...] = (
    ("{row} i depends on the {axes} 0 to i of {name} alone, as if those after it were hidden",
     lambda part, row: part <= row),
    ("{row} i depends on the {axes} before i of {name} alone", lambda part, row: part < row),
    ("{row} i depends on the {axes} from i on of {name} alone", lambda part, row: part >= row),
    ("{row} i depends on {axis} i of {name} alone", lambda part, row: part == row),
    ("{row} i does not depend on {axis} i of {name}", lambda part, row: part != row),
)  # fmt: skip
"""Patterns of rows (of a result) against parts (of an argument)."""


def _too_much(seen: Influence) -> str:
    extra = seen.mine & ~seen.right
    if not extra.any():
        return ""
    part, *where = (int(i) for i in np.argwhere(extra)[0])
    return (
        f"Your result at {place(where, seen.result)} changes with {_parts(seen.axis, [part])} of "
        f"{seen.argument}, and should not."
    )


_TOLD = (
    ("general/unused_argument", _unused),
    ("general/part_left_out", _left_out),
    ("general/items_mixed", _mixed),
    ("general/rows_limited", _only_before),
    ("general/too_much", _too_much),
)
"""Most telling first."""
