"""Probes: designed inputs for one function of a submission, with the right answer beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .axes import named_shape

Array: TypeAlias = NDArray[np.float64]
Value: TypeAlias = "Array | int"


@dataclass(frozen=True)
class Function:
    """A function that a stage asks for: its name, its axes, and the oracle for it."""

    name: str
    axes: Mapping[str, str]
    """Argument name, in positional order, to its axes: `"... query d_k"`; `""` for a plain int."""
    results: Mapping[str, str]
    """Name of each result to its axes; more than one where the function returns a tuple."""
    oracle: Callable[..., Any]
    """The right answer in NumPy float64: an array, or a tuple of arrays."""
    error: Callable[..., Any]
    """How far right code may be off, in units of the dtype's roundoff; shaped as the oracle's."""


@dataclass(frozen=True)
class Probe:
    """One call of a function, and what must come out of it."""

    function: Function
    arguments: Mapping[str, Value]
    note: str = ""
    """What this probe is for, in a few words that a learner may read."""
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    _converted: dict[torch.dtype, list[Tensor | int]] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )

    def tensors(self, dtype: torch.dtype, *, grad: bool = False) -> list[Tensor | int]:
        """Fresh arguments for the call, in positional order."""
        if dtype not in self._converted:  # a whole class is asked the same
            self._converted[dtype] = [
                value if isinstance(value, int) else torch.tensor(value, dtype=dtype)
                for value in self.arguments.values()
            ]
        return [
            value if isinstance(value, int) else value.clone().requires_grad_(grad)
            for value in self._converted[dtype]
        ]

    def rounded(self, dtype: torch.dtype) -> list[Value]:
        """The arguments as the dtype rounds them, back in float64: what the oracle is given."""
        if dtype not in self._cache:
            self._cache[dtype] = [
                value.double().numpy() if isinstance(value, Tensor) else value
                for value in self.tensors(dtype)
            ]
        return list(self._cache[dtype])

    def expected(self, dtype: torch.dtype) -> tuple[Array, ...]:
        """The right results for these arguments in this dtype, computed in float64."""
        return self._computed("oracle", dtype)

    def error(self, dtype: torch.dtype) -> tuple[Array, ...]:
        """How far off right results may be, in units of the dtype's roundoff."""
        return self._computed("error", dtype)

    def call(self, dtype: torch.dtype) -> str:
        """The call, with the axes of its arguments: the first lines of every message."""
        lines = [f"{self.function.name}({', '.join(self.arguments)})"]
        width = max(len(name) for name in self.arguments)
        for name, value in self.arguments.items():
            shown = value if isinstance(value, int) else self._shape_of(name, value)
            kind = "" if isinstance(value, int) else f"{str(dtype).removeprefix('torch.')} "
            lines.append(f"    {name:<{width}}  {kind}{shown}")
        return "\n".join(lines)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of every axis that the arguments name."""
        found: dict[str, int] = {}
        for name, value in self.arguments.items():
            if not isinstance(value, int):
                axes = self.function.axes[name].replace("...", "").split()
                found.update(zip(reversed(axes), reversed(value.shape), strict=False))
        return found

    def _shape_of(self, name: str, value: Array) -> str:
        return named_shape(value.shape, self.function.axes[name])

    def _computed(self, what: str, dtype: torch.dtype) -> tuple[Array, ...]:
        key = (what, dtype)
        if key not in self._cache:
            result = getattr(self.function, what)(*self.rounded(dtype))
            self._cache[key] = result if isinstance(result, tuple) else (result,)
        found: tuple[Array, ...] = self._cache[key]
        return found
