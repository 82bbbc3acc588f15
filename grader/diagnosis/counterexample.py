"""The smallest input found on which an answer is wrong: fewer axes, fewer and rounder numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..subject import Subject
from ..suite import expect
from ..suite.axes import names
from ..suite.excerpt import side_by_side, worst
from ..suite.probe import Array, Probe, Value
from .calls import quietly

MAX_CALLS = 40
"""How often the answer is called for it, at most."""
_SHOWN = 4


def shrunk(subject: Subject, probe: Probe) -> tuple[Probe, Array] | None:
    """The smallest probe found that still fails with numbers of the right shape.

    Returns:
        The probe and the answer's numbers for it; None if the answer is not wrong in that way.
    """
    with quietly():
        return _shrunk(subject, probe)


def _shrunk(subject: Subject, probe: Probe) -> tuple[Probe, Array] | None:
    wrong = _wrong(subject, probe)
    if wrong is None:
        return None
    calls, smaller = 0, True
    while smaller:
        smaller = False
        for candidate in _smaller(probe):
            calls += 1
            if calls > MAX_CALLS:
                return probe, wrong
            still = _wrong(subject, candidate)
            if still is not None:
                probe, wrong, smaller = candidate, still, True
                break
    return probe, wrong


def shown(probe: Probe, got: Array) -> str:
    """A small failing call as text: what went in, yours and expected."""
    lines = [f"A small input that shows it: {probe.function.name}({', '.join(probe.arguments)})"]
    for name, value in probe.arguments.items():
        lines += _argument(name, value)
    name, axes = next(iter(probe.function.results.items()))
    expected = probe.expected(torch.float64)[0]
    at = worst(got, expected)
    lines.append(f"  {name},{side_by_side(got, expected, at, names(got.shape, axes))[1:]}")
    return "\n".join(lines)


def _argument(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, int) or value.size == 1:
        yield f"    {name} = {value if isinstance(value, int) else _cell(value.flat[0])}"
    elif max(value.shape) <= _SHOWN and value.ndim <= 2:
        rows = [", ".join(_cell(v) for v in row) for row in np.atleast_2d(value)]
        indent = " " * (len(name) + 8)
        yield f"    {name} = [[{f'],{chr(10)}{indent}['.join(rows)}]]"


def _cell(value: float) -> str:
    return f"{value:.4g}"


def _wrong(subject: Subject, probe: Probe) -> Array | None:
    """The first result's numbers, if the call is right in shape and wrong in them."""
    dtype = torch.float64
    try:
        got = getattr(subject, probe.function.name)(*probe.tensors(dtype))
        with np.errstate(all="ignore"):
            expected, error = probe.expected(dtype)[0], probe.error(dtype)[0]
    except (Exception, SystemExit):  # noqa: BLE001 - a smaller input may be no input at all
        return None
    got = got[0] if isinstance(got, tuple | list) and got else got
    if not isinstance(got, Tensor) or tuple(got.shape) != expected.shape:
        return None
    mine: Array = got.detach().cpu().double().numpy()
    bound = np.maximum(expect.SAFETY * expect.roundoff(dtype) * error, 1e-6 * np.abs(expected))
    with np.errstate(invalid="ignore"):
        fine = (np.abs(mine - expected) <= bound + expect.FLOOR) | (mine == expected)
    return None if fine.all() else mine


def _smaller(probe: Probe) -> Iterator[Probe]:
    """Smaller probes to try: the boldest step first."""
    yield from _without_batch(probe)
    for size in (2, 3, 4):
        for axis, now in probe.sizes.items():
            if now > size:
                yield _cut(probe, axis, size)
    if max(probe.sizes.values(), default=0) <= 2:
        for axis in [name for name, now in probe.sizes.items() if now == 2][:-1]:
            yield _cut(probe, axis, 1)
    for decimals in (0, 1):
        rounder = {n: _rounded(v, decimals) for n, v in probe.arguments.items()}
        if any(_rounds(v, rounder[n]) for n, v in probe.arguments.items()):
            yield replace(probe, arguments=rounder, _cache={})


def _without_batch(probe: Probe) -> Iterator[Probe]:
    """The first item of the outermost batch axis."""
    batched = {n for n, v in probe.arguments.items() if _leading(probe, n, v)}
    if batched:
        items = {n: v[0] if n in batched else v for n, v in probe.arguments.items()}  # type: ignore[index]
        yield replace(probe, arguments=items, _cache={})


def _leading(probe: Probe, name: str, value: Any) -> bool:
    if isinstance(value, int):
        return False
    return names(value.shape, probe.function.axes[name])[:1] != [] and names(
        value.shape, probe.function.axes[name]
    )[0].startswith("batch")


def _cut(probe: Probe, axis: str, size: int) -> Probe:
    """Every argument with one named axis cut to a size."""
    cut: dict[str, Value] = {}
    for name, value in probe.arguments.items():
        if isinstance(value, int):
            cut[name] = value
            continue
        own = names(value.shape, probe.function.axes[name])
        cut[name] = value[tuple(slice(size) if a == axis else slice(None) for a in own)]
    return replace(probe, arguments=cut, _cache={})


def _rounded(value: Any, decimals: int) -> Any:
    """Round numbers, unless two of them become one or one becomes 0: that shows too little."""
    if isinstance(value, int):
        return value
    rounder = np.round(value, decimals) + 0.0  # no -0
    lost = len(np.unique(rounder)) < len(np.unique(value)) or ((rounder == 0) & (value != 0)).any()
    return value if lost else rounder


def _rounds(value: Any, rounder: Any) -> bool:
    return not np.array_equal(rounder, value)
