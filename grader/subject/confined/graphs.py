"""Autograd graphs that a worker keeps for calls whose gradients may still be asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor


class Graphs:
    """Outputs and leaves of the calls of the check that is under way."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[list[Tensor], list[Tensor]]] = {}

    def keep(self, call: int, outputs: list[Tensor], inputs: Iterable[Tensor]) -> None:
        """Keep a call's graph if there is one."""
        if any(output.requires_grad for output in outputs):
            self._kept[call] = (outputs, list(inputs))

    def forget(self, calls: Iterable[int]) -> None:
        """Let the graphs of some calls go."""
        for call in calls:
            self._kept.pop(call, None)

    def clear(self) -> None:
        """Let all graphs go: another check begins."""
        self._kept.clear()

    def backward(self, call: int, gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
        """Gradients of a call's inputs, from those of its outputs; None where there is none."""
        outputs, inputs = self._kept[call]
        pairs = [
            (output, gradient)
            for output, gradient in zip(outputs, gradients, strict=True)
            if gradient is not None and output.requires_grad
        ]
        leaves = [leaf for leaf in inputs if leaf.requires_grad]
        if not pairs or not leaves:
            return [None] * len(inputs)
        found = iter(
            torch.autograd.grad(
                [output for output, _ in pairs],
                leaves,
                [gradient for _, gradient in pairs],
                retain_graph=True,
                allow_unused=True,
            )
        )
        return [next(found) if leaf.requires_grad else None for leaf in inputs]
