"""What suites state about a submission's answers; each fails with a message for a learner.

Every function calls the submission with a probe and raises `Mismatch` where the answer is not
right. Tolerances come from the probe's error bound and the dtype's roundoff, never from trying.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..subject import Subject
from ..subject.values import Opaque
from . import excerpt
from .axes import guessed_shape, named_shape, names, place
from .probe import Array, Probe

SAFETY = 8
"""Factor on every error bound: right code in any order of operations stays far below it."""
FLOOR = 1e-30
"""What counts as zero: a weight that underflowed may be anything below."""

BARELY = 1e-4
"""Relative difference below which an excerpt shows twice the same digits."""


class Mismatch(AssertionError):
    """An answer that is not right, told in words for the learner."""


def roundoff(dtype: torch.dtype) -> float:
    """The unit roundoff u of a dtype: half the gap between 1 and the next larger number."""
    return torch.finfo(dtype).eps / 2


def answer(student: Subject, probe: Probe, args: list[Any], dtype: torch.dtype) -> list[Tensor]:
    """Call the probe's function and insist on tensors: one, or as many as it must return.

    An exception of the submission gets the call as its note.
    """
    __tracebackhide__ = True
    try:
        got = getattr(student, probe.function.name)(*args)
    except Exception as error:
        error.add_note(_called(probe, dtype))
        raise
    wanted = len(probe.function.results)
    if wanted == 1:
        return [_tensor(got, probe, dtype, next(iter(probe.function.results)))]
    if not isinstance(got, tuple | list) or len(got) != wanted:
        _fail(
            probe,
            dtype,
            f"returned {kind_of(got)}; expected {wanted} tensors: "
            f"({', '.join(probe.function.results)})",
        )
    results = zip(got, probe.function.results, strict=True)
    return [_tensor(value, probe, dtype, name) for value, name in results]


def shape(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    """The results have the shapes that they must have, told by axes where they do not."""
    __tracebackhide__ = True
    results = answer(student, probe, probe.tensors(dtype), dtype)
    _same_shapes(results, probe, dtype)
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
    results = shape(student, probe, dtype)
    _right(results, probe, dtype, roundoff(accuracy or dtype))
    return results


def views(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> None:
    """Arguments that are views of other tensors, so not contiguous, give the right numbers."""
    __tracebackhide__ = True
    for told, view in (("transposed views", _transposed), ("strided views", _strided)):
        viewed = replace(probe, note=f"the arguments are {told} of other tensors")
        args = [view(arg) if isinstance(arg, Tensor) else arg for arg in probe.tensors(dtype)]
        results = answer(student, viewed, args, dtype)
        _same_shapes(results, viewed, dtype)
        _right(results, viewed, dtype, roundoff(dtype))


def raises(
    student: Subject, probe: Probe, error: type[Exception], dtype: torch.dtype = torch.float32
) -> None:
    """The call is refused with an exception of this type or a subclass of it."""
    __tracebackhide__ = True
    wanted = f"expected a {error.__name__}"
    try:
        got = getattr(student, probe.function.name)(*probe.tensors(dtype))
    except error:
        return
    except (AssertionError, RuntimeError) as other:
        if isinstance(other, NotImplementedError):
            raise
        _fail(probe, dtype, f"raised {getattr(other, 'kind', type(other).__name__)}; {wanted}")
    axes = next(iter(probe.function.results.values()))
    shown = named_shape(got.shape, axes) if isinstance(got, Tensor) else kind_of(got)
    _fail(probe, dtype, f"returned {shown}; {wanted}")


def kept(student: Subject, probe: Probe, dtype: torch.dtype) -> None:
    """The results have the dtype and the device of the arguments."""
    __tracebackhide__ = True
    results = answer(student, probe, probe.tensors(dtype), dtype)
    for got, name in zip(results, probe.function.results, strict=True):
        if got.dtype != dtype:
            _fail(probe, dtype, f"{name} is {_short(got.dtype)}; expected {_short(dtype)}")
        if got.device.type != "cpu":
            _fail(probe, dtype, f"{name} is on {got.device}; the arguments are on the CPU")


def untouched(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> None:
    """The call leaves its arguments as they were, and no result shares their memory."""
    __tracebackhide__ = True
    args, before = probe.tensors(dtype), probe.tensors(dtype)
    results = answer(student, probe, args, dtype)
    for name, now, then in zip(probe.arguments, args, before, strict=True):
        if isinstance(now, Tensor) and isinstance(then, Tensor):
            if not _identical(now, then):
                axes = probe.function.axes[name]
                _changed(now, then, probe, dtype, name, axes)
            _own_memory(results, now, name, probe, dtype)


def repeatable(student: Subject, probe: Probe, dtype: torch.dtype = torch.float32) -> None:
    """The same call twice gives the same numbers."""
    __tracebackhide__ = True
    first = answer(student, probe, probe.tensors(dtype), dtype)
    second = answer(student, probe, probe.tensors(dtype), dtype)
    for a, b, name in zip(first, second, probe.function.results, strict=True):
        if not _identical(a, b):
            _fail(probe, dtype, f"two calls with the same arguments gave different {name}")


def gradients(student: Subject, probe: Probe) -> None:
    """Gradients reach every tensor argument, and are those of the oracle, in float64.

    The oracle's gradient is a central difference of the oracle itself, along a fixed direction
    of the results: independent of any autograd.
    """
    __tracebackhide__ = True
    dtype = torch.float64
    args = probe.tensors(dtype, grad=True)
    results = answer(student, probe, args, dtype)
    _same_shapes(results, probe, dtype)
    if not any(result.requires_grad for result in results):
        _fail(probe, dtype, "the result is cut off from the arguments: no gradient flows back")
    total = sum(
        ((r * torch.from_numpy(c)).sum() for r, c in zip(results, _weights(probe), strict=True)),
        torch.zeros((), dtype=dtype),
    )
    total.backward()  # type: ignore[no-untyped-call]
    expected = oracle_gradients(probe)
    for (name, axes), arg in zip(probe.function.axes.items(), args, strict=True):
        if isinstance(arg, Tensor):
            _same_gradient(arg.grad, expected[name], probe, name, axes)


def oracle_gradients(probe: Probe, step: float = 1e-6) -> dict[str, Array]:
    """Gradient of the oracle's weighted sum of results, for each array argument.

    Central differences: the truncation error is of order step², the rounding error of order
    u / step, both below 1e-8 here.
    """
    if "gradients" not in probe._cache:
        values = probe.rounded(torch.float64)
        probe._cache["gradients"] = {
            name: _difference_quotients(probe, values, position, step)
            for position, name in enumerate(probe.arguments)
            if not isinstance(values[position], int)
        }
    found: dict[str, Array] = probe._cache["gradients"]
    return found


def array(value: Tensor) -> Array:
    """A tensor's numbers in NumPy, float64, whatever its dtype and device."""
    found: Array = value.detach().double().cpu().numpy()
    return found


def kind_of(value: Any) -> str:
    """What a value is, for a message."""
    if value is None:
        return "None (is a `return` missing?)"
    if isinstance(value, Opaque):
        return f"an object of type {value.type_name}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Tensor):
        return "one tensor"
    return f"{value!r} of type {type(value).__name__}"


def fail(probe: Probe, dtype: torch.dtype, text: str) -> None:
    """Fail a check of one's own with the probe's call in front."""
    __tracebackhide__ = True
    _fail(probe, dtype, text)


def _fail(probe: Probe, dtype: torch.dtype, text: str) -> None:
    __tracebackhide__ = True
    raise Mismatch(f"{_called(probe, dtype)}\n{text}")


def _called(probe: Probe, dtype: torch.dtype) -> str:
    return probe.call(dtype) + (f"  ({probe.note})" if probe.note else "")


def _tensor(value: Any, probe: Probe, dtype: torch.dtype, name: str) -> Tensor:
    __tracebackhide__ = True
    if not isinstance(value, Tensor):
        _fail(probe, dtype, f"{name} came back as {kind_of(value)}; expected a tensor")
    assert isinstance(value, Tensor)  # noqa: S101 - for the type checker: _fail raises
    return value


def _same_shapes(results: list[Tensor], probe: Probe, dtype: torch.dtype) -> None:
    __tracebackhide__ = True
    rows = zip(results, probe.expected(dtype), probe.function.results.items(), strict=True)
    for got, expected, (name, axes) in rows:
        if tuple(got.shape) != expected.shape:
            sizes = dict(zip(names(expected.shape, axes), expected.shape, strict=True))
            shown = guessed_shape(got.shape, {**probe.sizes, **sizes})
            wanted = named_shape(expected.shape, axes)
            _fail(probe, dtype, f"{name}: got {shown}, expected {wanted}")


def _right(results: list[Tensor], probe: Probe, dtype: torch.dtype, unit: float) -> None:
    __tracebackhide__ = True
    rows = zip(
        results,
        probe.expected(dtype),
        probe.error(dtype),
        probe.function.results.items(),
        strict=True,
    )
    for got, expected, error, (name, axes) in rows:
        own = roundoff(got.dtype) if got.is_floating_point() else 0  # `kept` tells of a wrong dtype
        bound = SAFETY * max(unit, own) * error + FLOOR
        _same_numbers(array(got), expected, bound, probe, dtype, name, axes)


def _transposed(value: Tensor) -> Tensor:
    """The same tensor with its axes in reverse order in memory."""
    axes = tuple(reversed(range(value.ndim)))
    return value.permute(axes).contiguous().permute(axes)


def _strided(value: Tensor) -> Tensor:
    """Every second number of a larger tensor; the numbers between are other ones."""
    return torch.stack((value, 1 - value), dim=-1)[..., 0]


def _same_numbers(
    got: Array,
    expected: Array,
    bound: Array,
    probe: Probe,
    dtype: torch.dtype,
    name: str,
    axes: str,
) -> None:
    __tracebackhide__ = True
    with np.errstate(invalid="ignore"):
        wrong = ~((np.abs(got - expected) <= bound) | (got == expected))
    if wrong.any():
        _fail(probe, dtype, _difference(got, expected, wrong, dtype, name, axes))


def _difference(
    got: Array, expected: Array, wrong: Any, dtype: torch.dtype, name: str, axes: str
) -> str:
    at = excerpt.worst(np.where(wrong, got, expected), expected)
    axis_names = names(expected.shape, axes)
    where = place(at, axis_names)
    differ = f"{int(wrong.sum())} of {wrong.size} numbers differ"
    if wrong.size == 1:
        differ = "the number differs"
    gap = abs(got[at] - expected[at])
    if not np.isfinite(gap):
        head = f"{name}: {differ}; at {where} it is {got[at]}"
    else:
        head = f"{name}: {differ}, by {gap:.3g} at {where}"
    if gap < BARELY * np.abs(expected).max():
        head += f"\n  That is little, and more than rounding in {_short(dtype)} explains."
    return f"{head}\n{excerpt.side_by_side(got, expected, at, axis_names)}"


def _changed(
    now: Tensor, then: Tensor, probe: Probe, dtype: torch.dtype, name: str, axes: str
) -> None:
    __tracebackhide__ = True
    if now.shape != then.shape:
        _fail(probe, dtype, f"the call changed the shape of {name}, which belongs to the caller")
    after, before = array(now), array(then)
    at = excerpt.worst(after, before)
    where = place(at, names(before.shape, axes))
    _fail(
        probe,
        dtype,
        f"the call changed its argument {name}, which belongs to the caller:\n"
        f"  at {where} it was {before[at]:.4g} and is now {after[at]:.4g}.\n"
        f"  Make a new tensor instead of writing into {name}.",
    )


def _own_memory(
    results: list[Tensor], arg: Tensor, name: str, probe: Probe, dtype: torch.dtype
) -> None:
    __tracebackhide__ = True
    for result in results:
        if result.untyped_storage().data_ptr() == arg.untyped_storage().data_ptr():
            _fail(
                probe,
                dtype,
                f"the result shares its memory with the argument {name}: whoever changes one "
                "changes the other. Return a new tensor.",
            )


def _same_gradient(got: Tensor | None, expected: Array, probe: Probe, name: str, axes: str) -> None:
    __tracebackhide__ = True
    dtype = torch.float64
    if got is None:
        _fail(probe, dtype, f"no gradient reaches {name}: the result is cut off from it")
    assert got is not None  # noqa: S101 - for the type checker: _fail raises
    bound = np.full(expected.shape, 1e-6 * (1 + float(np.abs(expected).max())))
    _same_numbers(array(got), expected, bound, probe, dtype, f"gradient for {name}", axes)


def _weights(probe: Probe) -> list[Array]:
    """A fixed direction of the results: no two entries weigh the same."""
    return [
        np.cos(1.0 + np.arange(expected.size)).reshape(expected.shape)
        for expected in probe.expected(torch.float64)
    ]


def _difference_quotients(probe: Probe, values: list[Any], position: int, step: float) -> Array:
    def total(moved: Array) -> float:
        args = [*values[:position], moved, *values[position + 1 :]]
        result = probe.function.oracle(*args)
        parts = result if isinstance(result, tuple) else (result,)
        return float(sum((p * c).sum() for p, c in zip(parts, _weights(probe), strict=True)))

    return central_differences(total, values[position], step)


def central_differences(f: Callable[[Array], float], x: Array, step: float) -> Array:
    """Gradient of a scalar function by central differences, one entry at a time."""
    gradient = np.empty_like(x)
    for index in np.ndindex(x.shape):
        moved = x.copy()
        moved[index] = x[index] + step
        above = f(moved)
        moved[index] = x[index] - step
        gradient[index] = (above - f(moved)) / (2 * step)
    return gradient


def _identical(a: Tensor, b: Tensor) -> bool:
    same_kind = a.shape == b.shape and a.dtype == b.dtype
    return same_kind and bool(np.array_equal(array(a), array(b), equal_nan=True))


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
