"""What suites state about a submission's answers; each fails with a message for a learner.

Every function calls the submission with a probe and raises `Mismatch` where the answer is not
right. Tolerances come from the probe's error bound and the dtype's roundoff, never from trying.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor

from ..subject import Subject
from . import gradient
from .asked import (
    FLOOR,
    SAFETY,
    Asked,
    array,
    identical,
    kind_of,
    roundoff,
    short,
)
from .axes import named_shape
from .probe import Array, Probe

__all__ = [
    "FLOOR",
    "SAFETY",
    "agree",
    "alike",
    "answer",
    "array",
    "fail",
    "gradients",
    "kept",
    "kind_of",
    "numbers",
    "oracle_gradients",
    "raises",
    "repeatable",
    "roundoff",
    "shape",
    "untouched",
    "views",
]

oracle_gradients = gradient.of_oracle


def answer(student: Subject, probe: Probe, args: list[Any], dtype: torch.dtype) -> list[Tensor]:
    """Call the probe's function and insist on tensors: one, or as many as it must return.

    An exception of the submission gets the call as its note.
    """
    __tracebackhide__ = True
    asked = Asked(probe, dtype)
    try:
        got = getattr(student, probe.function.name)(*args)
    except Exception as error:
        error.add_note(str(asked))
        raise
    return asked.results(got)


def fail(probe: Probe, dtype: torch.dtype, text: str) -> NoReturn:
    """Fail a check of one's own with the probe's call in front."""
    __tracebackhide__ = True
    Asked(probe, dtype).fail(text)


def shape(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """The results have the shapes that they must have, told by axes where they do not."""
    __tracebackhide__ = True
    results = answer(student, probe, probe.tensors(dtype), dtype)
    Asked(probe, dtype).same_shapes(results)
    return results


def numbers(
    student: Subject,
    probe: Probe,
    dtype: torch.dtype = torch.float32,
    accuracy: torch.dtype | None = None,
) -> list[Tensor]:
    """Shapes and numbers agree with the oracle to within the error bound.

    Args:
        student: the submission.
        probe: the call.
        dtype: what its arguments are.
        accuracy: the dtype whose roundoff right code may commit, where that is not `dtype`.
    """
    __tracebackhide__ = True
    results = answer(student, probe, probe.tensors(dtype), dtype)
    agree(probe, results, dtype, accuracy)
    return results


def agree(
    probe: Probe, results: list[Tensor], dtype: torch.dtype, accuracy: torch.dtype | None = None
) -> None:
    """What `numbers` states, of results that are there."""
    __tracebackhide__ = True
    asked = Asked(probe, dtype)
    asked.same_shapes(results)
    asked.right(results, roundoff(accuracy or dtype))


def views(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> None:
    """Arguments that are views of other tensors, so not contiguous, give the right numbers."""
    __tracebackhide__ = True
    for told, view in (("transposed views", _transposed), ("strided views", _strided)):
        viewed = replace(probe, note=f"the arguments are {told} of other tensors")
        args = [view(arg) if isinstance(arg, Tensor) else arg for arg in probe.tensors(dtype)]
        results = answer(student, viewed, args, dtype)
        agree(viewed, results, dtype)


def raises(
    student: Subject, probe: Probe, error: type[Exception], dtype: torch.dtype = torch.float32
) -> None:
    """The call is refused with an exception of this type or a subclass of it."""
    __tracebackhide__ = True
    asked, wanted = Asked(probe, dtype), f"expected a {error.__name__}"
    try:
        got = getattr(student, probe.function.name)(*probe.tensors(dtype))
    except error:
        return
    except (AssertionError, RuntimeError) as other:
        if isinstance(other, NotImplementedError):
            raise
        asked.fail(f"raised {getattr(other, 'kind', type(other).__name__)}; {wanted}")
    axes = next(iter(probe.function.results.values()))
    shown = named_shape(got.shape, axes) if isinstance(got, Tensor) else kind_of(got)
    asked.fail(f"returned {shown}; {wanted}")


def kept(student: Subject, probe: Probe, dtype: torch.dtype) -> list[Tensor]:
    """The results have the dtype and the device of the arguments."""
    __tracebackhide__ = True
    results = answer(student, probe, probe.tensors(dtype), dtype)
    alike(probe, results, dtype)
    return results


def alike(probe: Probe, results: list[Tensor], dtype: torch.dtype) -> None:
    """What `kept` states, of results that are there."""
    __tracebackhide__ = True
    asked = Asked(probe, dtype)
    for got, name in zip(results, probe.function.results, strict=True):
        if got.dtype != dtype:
            asked.fail(f"{name} is {short(got.dtype)}; expected {short(dtype)}")
        if got.device.type != "cpu":
            asked.fail(f"{name} is on {got.device}; the arguments are on the CPU")


def untouched(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> None:
    """The call leaves its arguments as they were, and no result shares their memory."""
    __tracebackhide__ = True
    asked = Asked(probe, dtype)
    args, before = probe.tensors(dtype), probe.tensors(dtype)
    results = answer(student, probe, args, dtype)
    for name, now, then in zip(probe.arguments, args, before, strict=True):
        if isinstance(now, Tensor) and isinstance(then, Tensor):
            asked.same_argument(now, then, name)
            asked.own_memory(results, now, name)


def repeatable(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> None:
    """The same call twice gives the same numbers."""
    __tracebackhide__ = True
    first = answer(student, probe, probe.tensors(dtype), dtype)
    second = answer(student, probe, probe.tensors(dtype), dtype)
    for a, b, name in zip(first, second, probe.function.results, strict=True):
        if not identical(a, b):
            fail(probe, dtype, f"two calls with the same arguments gave different {name}")


def gradients(student: Subject, probe: Probe) -> None:
    """Gradients reach every tensor argument, and are those of the oracle, in float64."""
    __tracebackhide__ = True
    asked = Asked(probe, torch.float64)
    args = probe.tensors(torch.float64, grad=True)
    results = answer(student, probe, args, torch.float64)
    asked.same_shapes(results)
    if not any(result.requires_grad for result in results):
        asked.fail("the result is cut off from the arguments: no gradient flows back")
    _backward(results, gradient.direction(probe))
    expected = gradient.of_oracle(probe)
    for (name, axes), arg in zip(probe.function.axes.items(), args, strict=True):
        if isinstance(arg, Tensor) and arg.grad is None:
            asked.fail(f"no gradient reaches {name}: the result is cut off from it")
        if isinstance(arg, Tensor) and arg.grad is not None:
            bound = np.full(arg.shape, 1e-6 * (1 + float(np.abs(expected[name]).max())))
            asked.close(array(arg.grad), expected[name], bound, f"gradient for {name}", axes)


def _backward(results: list[Tensor], direction: list[Array]) -> None:
    parts = [(r * torch.from_numpy(c)).sum() for r, c in zip(results, direction, strict=True)]
    torch.stack(parts).sum().backward()  # type: ignore[no-untyped-call]


def _transposed(value: Tensor) -> Tensor:
    """The same tensor with its axes in reverse order in memory."""
    axes = tuple(reversed(range(value.ndim)))
    return value.permute(axes).contiguous().permute(axes)


def _strided(value: Tensor) -> Tensor:
    """Every second number of a larger tensor; the numbers between are other ones."""
    return torch.stack((value, 1 - value), dim=-1)[..., 0]
