"""One call that a suite asks for, and what is told of an answer that is not right."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor

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
    if isinstance(value, dict):
        return f"a dictionary with the keys {', '.join(map(reprlib.repr, [*value][:4]))}"
    return f"{reprlib.repr(value)} of type {type(value).__name__}"


def short(dtype: torch.dtype) -> str:
    """A dtype's own name."""
    return str(dtype).removeprefix("torch.")


@dataclass(frozen=True)
class Asked:
    """A probe's call with arguments of one dtype."""

    probe: Probe
    dtype: torch.dtype

    def __str__(self) -> str:
        return self.probe.call(self.dtype) + (f"  ({self.probe.note})" if self.probe.note else "")

    def fail(self, text: str) -> NoReturn:
        """Fail, with the call in front of the text."""
        __tracebackhide__ = True
        raise Mismatch(f"{self}\n{text}")

    def results(self, got: Any) -> list[Tensor]:
        """What was returned, as the tensors that it must be: one, or as many as are asked for."""
        __tracebackhide__ = True
        wanted = self.probe.function.results
        if len(wanted) == 1:
            got = [got]
        elif not isinstance(got, tuple | list) or len(got) != len(wanted):
            listed = ", ".join(wanted)
            self.fail(f"returned {kind_of(got)}; expected {len(wanted)} tensors: ({listed})")
        return [self._tensor(value, name) for value, name in zip(got, wanted, strict=True)]

    def same_shapes(self, results: list[Tensor]) -> None:
        """Every result has the shape of the oracle's."""
        __tracebackhide__ = True
        rows = zip(results, self._expected(), self.probe.function.results.items(), strict=True)
        for got, expected, (name, axes) in rows:
            if tuple(got.shape) != expected.shape:
                sizes = dict(zip(names(expected.shape, axes), expected.shape, strict=True))
                shown = guessed_shape(got.shape, {**self.probe.sizes, **sizes})
                self.fail(f"{name}: got {shown}, expected {named_shape(expected.shape, axes)}")

    def right(self, results: list[Tensor], unit: float) -> None:
        """Every number is within its error bound of the oracle's; `unit` is the roundoff."""
        __tracebackhide__ = True
        errors = self.probe.error(self.dtype)
        axes = self.probe.function.results.items()
        for got, expected, error, named in zip(
            results, self._expected(), errors, axes, strict=True
        ):
            # A wrong dtype is told by a check of its own, and judged here by its own roundoff.
            own = roundoff(got.dtype) if got.is_floating_point() else 0
            self.close(array(got), expected, SAFETY * max(unit, own) * error + FLOOR, *named)

    def close(self, got: Array, expected: Array, bound: Array, name: str, axes: str) -> None:
        """The numbers of one result, or of one gradient, are within a bound of the right ones."""
        __tracebackhide__ = True
        with np.errstate(invalid="ignore"):
            wrong = ~((np.abs(got - expected) <= bound) | (got == expected))
        if wrong.any():
            self.fail(self._difference(got, expected, wrong, name, axes))

    def same_argument(self, now: Tensor, then: Tensor, name: str) -> None:
        """An argument is after the call what it was before."""
        __tracebackhide__ = True
        if identical(now, then):
            return
        if now.shape != then.shape:
            self.fail(f"the call changed the shape of {name}, which belongs to the caller")
        after, before = array(now), array(then)
        at = excerpt.worst(after, before)
        where = place(at, names(before.shape, self.probe.function.axes[name]))
        self.fail(
            f"the call changed its argument {name}, which belongs to the caller:\n"
            f"  at {where} it was {before[at]:.4g} and is now {after[at]:.4g}.\n"
            f"  Make a new tensor instead of writing into {name}."
        )

    def own_memory(self, results: list[Tensor], argument: Tensor, name: str) -> None:
        """No result shares its memory with an argument."""
        __tracebackhide__ = True
        for result in results:
            if result.untyped_storage().data_ptr() == argument.untyped_storage().data_ptr():
                self.fail(
                    f"the result shares its memory with the argument {name}: whoever changes one "
                    "changes the other. Return a new tensor."
                )

    def _expected(self) -> tuple[Array, ...]:
        return self.probe.expected(self.dtype)

    def _tensor(self, value: Any, name: str) -> Tensor:
        __tracebackhide__ = True
        if not isinstance(value, Tensor):
            self.fail(f"{name} came back as {kind_of(value)}; expected a tensor")
        return value

    def _difference(self, got: Array, expected: Array, wrong: Any, name: str, axes: str) -> str:
        at = excerpt.worst(np.where(wrong, got, expected), expected)
        axis_names = names(expected.shape, axes)
        where = place(at, axis_names)
        count = f"{int(wrong.sum())} of {wrong.size} numbers differ"
        differ = count if wrong.size > 1 else "the number differs"
        gap = abs(got[at] - expected[at])
        if not np.isfinite(gap):
            head = f"{name}: {differ}; at {where} it is {got[at]}"
        else:
            head = f"{name}: {differ}, by {gap:.3g} at {where}"
        if gap < BARELY * np.abs(expected).max():
            head += f"\n  That is little, and more than rounding in {short(self.dtype)} explains."
        return f"{head}\n{excerpt.side_by_side(got, expected, at, axis_names)}"


def identical(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are the same in shape, dtype and every number."""
    same_kind = a.shape == b.shape and a.dtype == b.dtype
    return same_kind and bool(np.array_equal(array(a), array(b), equal_nan=True))
