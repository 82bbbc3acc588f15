"""What may cross between a suite and a submission; everything else becomes opaque."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Opaque:
    """A value of a type that suites do not look into; only the type's name is known."""

    type_name: str

    def __repr__(self) -> str:
        return f"<{self.type_name}>"


_PLAIN = (type(None), bool, int, float, str, torch.device, torch.dtype, torch.Size, Opaque)


def reduced(value: Any, depth: int = 8) -> Any:
    """A submission's result with every tensor a plain `Tensor` and no object of its own types.

    Exact types are asked for, not instances: a subclass may answer any question as it likes.
    """
    if type(value) is Tensor or type(value) in _PLAIN or isinstance(value, nn.Module):
        return value
    if isinstance(value, float):  # as NumPy's float64 is; a subclass has no say in this
        return float.__float__(value)
    if isinstance(value, Tensor):
        return Opaque(_name_of(type(value))) if _foreign(value) else value
    if isinstance(value, tuple | list) and depth:
        return _sequence(value, depth)
    if type(value) is dict and depth:
        return {str(key): reduced(item, depth - 1) for key, item in value.items()}
    return Opaque(_name_of(type(value)))


def _foreign(value: Tensor) -> bool:
    """Whether a tensor's class was not made by torch: a fake or stand-in tensor is torch's."""
    return not type(value).__module__.startswith(("torch", "grader."))


def _sequence(value: tuple[Any, ...] | list[Any], depth: int) -> tuple[Any, ...] | list[Any]:
    kind = list if isinstance(value, list) else tuple
    items = (reduced(item, depth - 1) for item in kind.__iter__(value))  # type: ignore[arg-type]
    return kind(items)


def _name_of(kind: type) -> str:
    module = kind.__module__
    return kind.__qualname__ if module in {"builtins", "torch"} else f"{module}.{kind.__qualname__}"
