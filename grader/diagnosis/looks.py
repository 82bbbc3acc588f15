"""What is looked at with one call of a function, besides its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from ..subject import Subject
from ..suite import expect
from ..suite.axes import names, place
from ..suite.excerpt import worst
from ..suite.probe import Array, Probe
from .calls import STOPS, Aspects, array_of, outcome, raised, wrong
from .cells import RAISED, ROUNDING, Cell, numbers
from .designs import memory

Look: TypeAlias = Callable[[Subject, Probe], Aspects]
PLAIN, SPACIOUS = 0, 1
"""Which of a function's two chosen probes a look takes."""
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _arguments(subject: Subject, probe: Probe) -> Aspects:
    """Which arguments the call changed, and which share their memory with a result."""
    args, before = probe.tensors(torch.float64), probe.tensors(torch.float64)
    called = outcome(subject, probe, args)
    rows = [
        (name, now, then)
        for name, now, then in zip(probe.arguments, args, before, strict=True)
        if isinstance(now, Tensor) and isinstance(then, Tensor)
    ]
    changed = [row for row in rows if not torch.equal(row[1], row[2])]
    if changed:
        names_ = ", ".join(name for name, _, _ in changed)
        yield "changed", Cell("fact", names_, note=_change(probe, *changed[0]))
        yield "after", Cell("numbers", array=array_of(changed[0][1]), detail=True)
    taken = {memory(r) for r in called.results or [] if isinstance(r, Tensor)} - {None}
    shared = [name for name, now, _ in rows if memory(now) in taken]
    if shared:
        yield "shared", Cell("fact", ", ".join(shared), detail=bool(changed))


def _change(probe: Probe, name: str, now: Tensor, then: Tensor) -> str:
    after, before = array_of(now), array_of(then)
    if after.shape != before.shape:
        return f"{name} had the shape {before.shape} and now has {after.shape}."
    at = worst(after, before)
    where = place(at, names(before.shape, probe.function.axes[name]))
    return f"{name} at {where} was {before[at]:.4g}; after the call it is {after[at]:.4g}."


def _dtype(dtype: torch.dtype, subject: Subject, probe: Probe) -> Aspects:
    """Whether results have the dtype of the arguments."""
    called = outcome(subject, probe, probe.tensors(dtype))
    if called.error is not None:
        yield RAISED, raised(called.error)
    for got, name in zip(called.results or [], probe.function.results, strict=False):
        if isinstance(got, Tensor) and got.dtype != dtype:
            yield name, Cell("fact", f"{_short(dtype)} came back as {_short(got.dtype)}")


def _gradients(subject: Subject, probe: Probe) -> Aspects:
    """The gradients of one direction of the results, compared with the oracle's."""
    args = probe.tensors(torch.float64, grad=True)
    called = outcome(subject, probe, args)
    if called.error is not None:
        yield RAISED, raised(called.error)
        return
    results = [r for r in called.results or [] if isinstance(r, Tensor) and r.requires_grad]
    try:
        if results:
            total = [(r * torch.from_numpy(_direction(r))).sum() for r in results]
            torch.stack(total).sum().backward()  # type: ignore[no-untyped-call]
    except STOPS:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an answer's graph may raise anything
        yield RAISED, raised(error)
        return
    for name, arg in zip(probe.arguments, args, strict=True):
        if isinstance(arg, Tensor):
            yield from _gradient(name, arg.grad, expect.oracle_gradients(probe)[name])


def _gradient(name: str, got: Tensor | None, right: Array) -> Aspects:
    if got is None:
        yield name, Cell("fact", "none")
        return
    mine, bound = array_of(got), 1e-6 * (1 + float(np.abs(right).max()))
    with np.errstate(invalid="ignore"):
        if mine.shape != right.shape or not (np.abs(mine - right) <= bound).all():
            yield name, numbers(mine, right, slight=ROUNDING)


def _direction(result: Tensor) -> Array:
    """The weights that `expect.gradients` gives the entries of a result."""
    weights: Array = np.cos(1.0 + np.arange(result.numel())).reshape(result.shape)
    return weights


def _views(subject: Subject, probe: Probe) -> Aspects:
    """The same call with arguments whose memory is laid out in another order."""
    yield from wrong(probe, outcome(subject, probe, _viewed(probe)))


def _viewed(probe: Probe) -> list[Any]:
    args = probe.tensors(torch.float64)
    return [_backwards(arg) if isinstance(arg, Tensor) else arg for arg in args]


def _backwards(value: Tensor) -> Tensor:
    """The same tensor with its axes in reverse order in memory."""
    axes = tuple(reversed(range(value.ndim)))
    return value.permute(axes).contiguous().permute(axes)


def _repeat(subject: Subject, probe: Probe) -> Aspects:
    plain_args: Callable[[], list[Any]] = partial(probe.tensors, torch.float64)
    # Some mistakes raise for one layout in memory, and give numbers for another.
    if any(_by_chance(subject, probe, args) for args in (plain_args, partial(_viewed, probe))):
        yield "numbers", Cell("fact", "two calls gave different numbers")


def _by_chance(subject: Subject, probe: Probe, args: Callable[[], list[Any]]) -> bool:
    """Whether two calls with the same arguments give different numbers."""
    first, second = (outcome(subject, probe, args()) for _ in range(2))
    pairs = zip(first.results or [], second.results or [], strict=False)
    tensors = ((a, b) for a, b in pairs if isinstance(a, Tensor) and isinstance(b, Tensor))
    try:
        return any(not np.array_equal(array_of(a), array_of(b), equal_nan=True) for a, b in tensors)
    except (RuntimeError, TypeError):
        return False


LOOKS: Mapping[str, tuple[int, Look]] = MappingProxyType(
    {
        "arguments": (PLAIN, _arguments),
        "gradient": (PLAIN, _gradients),
        "views": (SPACIOUS, _views),
        "repeat": (SPACIOUS, _repeat),
        **{f"dtype {_short(dtype)}": (PLAIN, partial(_dtype, dtype)) for dtype in DTYPES},
    }
)
"""Each look's name, which probe is taken for it, and what it sees."""
