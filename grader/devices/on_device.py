"""The `device` bench: calls on the machine's accelerator, or on its CPU, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from torch import Tensor

from . import chain
from .moving import mapped, modules, placed


class DeviceBench:
    """Arguments and modules go to a device; results come back to the CPU.

    Args:
        device: "accelerator" for the machine's own, whichever that is, or "cpu".
    """

    def __init__(self, device: str = "accelerator") -> None:
        self._device = chain.found(device)

    def __enter__(self) -> DeviceBench:
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
        """Call there. Where there is no accelerator, nothing runs and the answer is None."""
        if self._device is None:
            return None
        given, named = mapped(list(args), self._to), mapped(dict(kwargs), self._to)
        with placed(modules(function, args, kwargs), self._to):
            return mapped(function(*given, **named), Tensor.cpu)

    def _to(self, tensor: Tensor) -> Tensor:
        return tensor.detach().to(self._device)

    def report(self) -> dict[str, Any]:
        """`device`: where it ran, such as "cuda", or None where there is no accelerator."""
        return {"device": None if self._device is None else str(self._device)}
