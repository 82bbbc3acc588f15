"""Autograd across the border: a gradient that arrives here is carried on in the worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

Backward = Callable[[list[Tensor | None]], Sequence[Tensor | None]]
"""From the gradients of a call's outputs to those of its inputs; None where there is none."""


class Bridge(torch.autograd.Function):
    """Ties the outputs of a call that was made elsewhere to its inputs."""

    @staticmethod
    def forward(
        ctx: Any, backward: Backward, outputs: tuple[Tensor, ...], *inputs: Tensor
    ) -> tuple[Tensor, ...]:
        """Hand the outputs out; they are known already."""
        del inputs
        ctx.set_materialize_grads(False)
        ctx.elsewhere = backward
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        """Ask the other side."""
        return None, None, *ctx.elsewhere(list(gradients)), None


def tie(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], backward: Backward
) -> tuple[Tensor, ...]:
    """Outputs that require grad and whose gradients flow to the inputs.

    One more input is added which requires grad, because the worker's own parameters may be the
    only reason why an output does.
    """
    anchor = torch.empty(0, requires_grad=True)
    apply: Callable[..., tuple[Tensor, ...]] = Bridge.apply
    return apply(backward, tuple(outputs), *inputs, anchor)
