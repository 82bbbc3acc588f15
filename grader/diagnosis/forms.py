"""What a factor is in terms of a call's sizes: 1/√d_k, √(key / d_k)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations

from ..suite.probe import Probe

_NEAR = 1e-6


def form(factors: Sequence[float], sizes: Sequence[Mapping[str, int]]) -> str:
    """The one form that every factor has, each with its own sizes, for the first of them.

    Nothing where no form fits, or where several do and only luck could choose.

    >>> form([0.5, 0.4082], [{"d_k": 4, "key": 3}, {"d_k": 6, "key": 5}])
    ''
    >>> form([0.5, 6**-0.5], [{"d_k": 4, "key": 3}, {"d_k": 6, "key": 5}])
    '1/√d_k with d_k = 4'
    """
    found = [
        {name: told for value, name, told in _forms(own) if math.isclose(f, value, rel_tol=_NEAR)}
        for f, own in zip(factors, sizes, strict=True)
    ]
    common = set.intersection(*map(set, found)) if found else set()
    return found[0][common.pop()] if len(common) == 1 else ""


def sizes_of(probe: Probe) -> dict[str, int]:
    """The sizes of a call: its axes, and its whole numbers."""
    whole = {name: v for name, v in probe.arguments.items() if isinstance(v, int)}
    return {**whole, **probe.sizes}


def _forms(sizes: Mapping[str, int]) -> Iterator[tuple[float, str, str]]:
    """Each form's value, its name, and its name with the sizes."""
    for axis, size in sizes.items():
        for power, name in _POWERS:
            told = name.format(axis)
            yield power(size), told, f"{told} with {axis} = {size}"
    for (a, m), (b, n) in permutations(sizes.items(), 2):
        yield math.sqrt(m / n), f"√({a} / {b})", f"√({a} / {b}) with {a} = {m} and {b} = {n}"


_POWERS: tuple[tuple[Callable[[float], float], str], ...] = (
    (math.sqrt, "√{}"),
    (lambda n: 1 / math.sqrt(n), "1/√{}"),
    (float, "{}"),
    (lambda n: 1 / n, "1/{}"),
)
