"""The rules that probes are designed by, so that no mistake hides behind equal axes or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import isqrt
from types import ModuleType
from typing import get_type_hints

import numpy as np

from grader.suite import Array, Probe
from grader.suite.axes import names


def probes_of(module: ModuleType) -> dict[str, list[Probe]]:
    """All probes that a module of `stages/probes` designs, by the function that they call."""
    found: dict[str, list[Probe]] = {}
    for make in vars(module).values():
        if _designs_probes(make, module):
            for probe in make(np.random.default_rng(1)):
                found.setdefault(probe.function.name, []).append(probe)
    return found


def faults(probes: Sequence[Probe]) -> list[str]:
    """Which rules the probes of one function break; empty where they keep them all."""
    batched = any("..." in axes for axes in probes[0].function.axes.values())
    counts = {_batches(probe) for probe in probes}
    broken = {
        "no probe has axes of different sizes, and a d_k that is no square": not any(
            map(_tells_axes_apart, probes)
        ),
        "no probe has batch items that differ": batched and not any(map(_items_differ, probes)),
        "none, one and two batch axes are not all there": batched and not counts >= {0, 1, 2},
        "two arguments of a probe are the same numbers": any(map(_repeats_an_argument, probes)),
    }
    return [rule for rule, holds in broken.items() if holds]


def _designs_probes(make: object, module: ModuleType) -> bool:
    """Whether this is a function of the module's own, from random numbers to probes."""
    if getattr(make, "__module__", None) != module.__name__ or not callable(make):
        return False
    return list(get_type_hints(make).values()) == [np.random.Generator, list[Probe]]


def _sizes(probe: Probe) -> dict[str, int]:
    """The size of every axis of a call, batch axes and plain numbers among them."""
    found: dict[str, int] = {}
    for name, value in probe.arguments.items():
        if isinstance(value, int):
            found[name] = value
        else:
            axes = names(value.shape, probe.function.axes[name])
            found.update(zip(axes, value.shape, strict=True))
    return found


def _arrays(probe: Probe) -> dict[str, Array]:
    return {name: v for name, v in probe.arguments.items() if not isinstance(v, int)}


def _tells_axes_apart(probe: Probe) -> bool:
    sizes = _sizes(probe)
    d_k = sizes.get("d_k", 2)
    return len(set(sizes.values())) == len(sizes) and isqrt(d_k) ** 2 != d_k


def _batches(probe: Probe) -> int:
    return sum(name.startswith("batch") for name in _sizes(probe))


def _items_differ(probe: Probe) -> bool:
    """Whether there is a batch, and no argument has the same item twice."""
    own = [
        value.reshape(-1, *value.shape[_batches(probe) :])
        for name, value in _arrays(probe).items()
        if "..." in probe.function.axes[name] and value.ndim > _batches(probe) > 0
    ]
    pairs = [pair for items in own for pair in combinations(items, 2)]
    return bool(pairs) and not any(np.array_equal(a, b) for a, b in pairs)


def _repeats_an_argument(probe: Probe) -> bool:
    """Whether one argument could stand in for another; one number may repeat by chance."""
    pairs = combinations(_arrays(probe).values(), 2)
    return any(np.array_equal(a, b) for a, b in pairs if a.size > 1)
