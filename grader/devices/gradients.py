"""The `gradients` bench: one forward pass and its backward pass, parameters included.

A module's parameters stay where the submission runs, so autograd cannot be asked for their
gradients from outside; this bench asks on the spot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from .moving import mapped, modules, tensors


class GradientBench:
    """Gradients of Σ direction · result for every tensor argument and parameter.

    Args:
        direction: what each entry of the result weighs, as nested lists in the result's shape.
    """

    def __init__(self, direction: list[Any] | float) -> None:
        self._direction = direction
        self._arguments: list[Any] = []
        self._parameters: dict[str, Any] = {}

    def __enter__(self) -> GradientBench:
        """Nothing to set up."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to take down."""

    def call(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Call, go backward from the result, and return it without its graph."""
        given, named = mapped([list(args), dict(kwargs)], _leaf)
        arguments = tensors([given, named])
        owners = modules(function, args, kwargs)
        parameters = {name: p for owner in owners for name, p in owner.named_parameters()}
        with torch.enable_grad():
            result = function(*given, **named)
            found = self._gradients(result, [*arguments, *parameters.values()])
        self._arguments = found[: len(arguments)]
        self._parameters = dict(zip(parameters, found[len(arguments) :], strict=True))
        return mapped(result, Tensor.detach)

    def _gradients(self, result: Any, leaves: list[Tensor]) -> list[Any]:
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        if not (isinstance(result, Tensor) and result.requires_grad and wanted):
            return [None] * len(leaves)
        direction = torch.tensor(self._direction, dtype=result.dtype)
        total = (result * direction).sum()
        found = iter(torch.autograd.grad(total, wanted, allow_unused=True))
        gradients = [next(found) if leaf.requires_grad else None for leaf in leaves]
        return [None if gradient is None else gradient.tolist() for gradient in gradients]

    def report(self) -> dict[str, Any]:
        """`arguments`: a gradient each, in order; `parameters`: by name.

        A gradient is nested lists in the tensor's shape, or None where none arrived.
        """
        return {"arguments": self._arguments, "parameters": self._parameters}


def _leaf(tensor: Tensor) -> Tensor:
    return tensor.detach().requires_grad_(tensor.is_floating_point())
