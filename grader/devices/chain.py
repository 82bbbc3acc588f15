"""The `chain` bench: a unit of work for the trusted clock, in which every call needs the last one.

x ← rms_norm(x + f(x)), many times over: each output feeds the next call, as in a residual stream,
so nothing can be skipped, reordered, or computed after the answer. The residual keeps every
earlier output in the result: with one call of the first left out, the result of 400 is still off
by a tenth, while float32 stays within 2e-5 and bfloat16 is off by 1e-2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from .moving import mapped, modules, placed

TOLERANCE = 3e-4
"""How far two chains may be apart: above float32's 2e-5, below what TF32 would give."""

MOST_STEPS = 400
"""The longest chain that `TOLERANCE` was measured for."""


class ChainBench:
    """Runs a module in a chain on the accelerator, or on the CPU.

    Args:
        steps: how many calls a chain is made of.
        device: "accelerator" for the machine's own, whichever that is, or "cpu".
    """

    def __init__(self, steps: int, device: str = "accelerator") -> None:
        self._steps = steps
        self._device = found(device)

    def __enter__(self) -> ChainBench:
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
        """Chain calls of a module on x, its only argument; the end of the chain, on the CPU.

        Where there is no accelerator, nothing runs and the answer is None.
        """
        if self._device is None:
            return None
        (x,) = mapped(list(args), self._to)
        with placed(modules(function, (), kwargs), self._to), torch.no_grad(), _exact():
            for _ in range(self._steps):
                x = rms_norm(x + function(x, **kwargs))
            return x.cpu()

    def _to(self, tensor: Tensor) -> Tensor:
        return tensor.detach().to(self._device)

    def report(self) -> dict[str, Any]:
        """`device`: where it ran, such as "cuda:0", or None where there is no accelerator."""
        return {"device": None if self._device is None else str(self._device)}


def rms_norm(x: Tensor) -> Tensor:
    """Every token over the root of its mean square (Zhang and Sennrich 2019, equation 4)."""
    return x * x.square().mean(dim=-1, keepdim=True).rsqrt()


def same(one: object, other: object) -> bool:
    """Whether the ends of two chains agree."""
    if not (isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape):
        return False
    return bool((one.double() - other.double()).abs().max() <= TOLERANCE)


def found(device: str) -> torch.device | None:
    """A device by name; the machine's own accelerator, if it has one, by "accelerator"."""
    if device != "accelerator":
        return torch.device(device)
    if not torch.accelerator.is_available():
        return None
    return torch.accelerator.current_accelerator()


@contextmanager
def _exact() -> Iterator[None]:
    """Float32 products in float32: no TF32, for the submission and the reference alike."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
