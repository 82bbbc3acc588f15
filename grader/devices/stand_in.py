"""The `stand-in` bench: an accelerator on any machine, with real numbers and virtual time.

While a call runs here, its tensors and modules are on the accelerator, the machine says that it
has one, every clock of the host shows virtual time, and every wait for an accelerator waits for
this one. What happened, in which order, is in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any

import torch
from torch import Tensor, nn

from . import lines
from .counting import SHOWN
from .moving import mapped, modules, placed, tensors
from .patching import patched
from .pretend import clocks, machine, waits
from .stand_in_tensor import Place, Pretence, Queueing, StandInTensor
from .virtual import VirtualDevice


class StandInBench:
    """Arguments and modules go to the stand-in accelerator; results come back to the CPU.

    Arguments share their memory with the tensors of the caller, so a change made in place is one
    that the caller sees.

    Args:
        kind: what the accelerator says it is: "cuda", "mps", "xpu" or "mtia". Code that names a
            device of one kind fails on another.
        pace: seconds that the device works on each forward pass of a module, see
            `VirtualDevice`.
        unused: the accelerator is there, but arguments and modules stay on the CPU.
    """

    def __init__(
        self, kind: str = "cuda", pace: Sequence[float] = (1e-3,), unused: bool = False
    ) -> None:
        self._device = VirtualDevice(pace)
        self._unused = unused
        self._place = Place(self._device, torch.device(kind, 0), {})
        self._counts = Queueing(self._place)
        self._results: list[str] = []
        self._modes: list[list[bool]] = []

    def __enter__(self) -> StandInBench:
        """Nothing to set up: all of it is done call by call."""
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
        """Call on the accelerator."""
        own = lines.namespace(function)
        self._place.own = self._counts.own = own
        about = modules(function, args, kwargs)
        with self._running(own, about):
            result = function(*self._brought(list(args)), **self._brought(dict(kwargs)))
        self._results = [self._device_of(tensor) for tensor in tensors(result)]
        return mapped(result, _plain)

    @contextmanager
    def _running(self, own: dict[str, Any], about: Sequence[nn.Module]) -> Iterator[None]:
        device, line = self._device, self._place.line
        before = [module.training for module in about]
        table = [*machine(self._place.where.type), *waits(device, line), *clocks(device, line)]
        with ExitStack() as stack:
            if not self._unused:
                stack.enter_context(placed(about, self._place.put))
            stack.enter_context(patched(table, own))
            for module in about:
                stack.enter_context(_passes(module, self._finish_pass))
            stack.enter_context(self._counts)
            stack.enter_context(Pretence(self._place, self._counts))
            yield
        self._modes = [[old, module.training] for old, module in zip(before, about, strict=True)]

    def _brought(self, value: Any) -> Any:
        """The same value where its tensors belong: on the accelerator, or left on the CPU."""
        return value if self._unused else mapped(value, self._place.put)

    def _finish_pass(self) -> None:
        self._device.finish_pass(self._place.line())

    def _device_of(self, tensor: Tensor) -> str:
        return str(self._place.where if isinstance(tensor, StandInTensor) else tensor.device)

    def report(self) -> dict[str, Any]:
        """What the accelerator saw.

        Keys beside those of `VirtualDevice.report`: `device`, `results` (where the last call's
        tensors were), `modes` (of each module, train mode before and after the last call),
        `host_tensors` and `host_scalars` (made on the CPU; a scalar has no dimensions).
        """
        made = self._counts.created
        return self._device.report() | {
            "device": str(self._place.where),
            "results": self._results,
            "modes": self._modes,
            "host_tensors": [event for event in made if event["shape"]][:SHOWN],
            "host_scalars": [event for event in made if not event["shape"]][:SHOWN],
        }


def _plain(tensor: Tensor) -> Tensor:
    return tensor.held if isinstance(tensor, StandInTensor) else tensor


@contextmanager
def _passes(module: nn.Module, finish: Callable[[], None]) -> Iterator[None]:
    """Call `finish` after each forward pass of a module, however it is called."""
    forward = module.forward

    def counted(*args: Any, **kwargs: Any) -> Any:
        result = forward(*args, **kwargs)
        finish()
        return result

    had = "forward" in module.__dict__
    module.forward = counted
    try:
        yield
    finally:
        if had:
            module.forward = forward
        else:
            module.__dict__.pop("forward", None)
