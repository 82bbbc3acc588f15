"""The `fake cuda` bench: PyTorch's fake tensors, which say "cuda" on a machine that has none.

Parts of PyTorch that ask for the real driver do not work there, on right code either: plain
indexing, item assignment and `.to("cuda")`. Recording a gradient would end the process; none is
recorded here unless the submission insists. So this bench is a second opinion, and says in its
report when it met one of its own gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from . import lines
from .counting import SHOWN, Counts
from .moving import mapped, modules, placed, tensors

GAPS = ("not linked with support for", "not compiled with CUDA", "Torch not compiled")
"""How PyTorch says that it wanted the driver; on right code that is the bench's fault."""


def _fake_mode() -> Any:
    """A `FakeTensorMode`, or None where this PyTorch has it elsewhere: its home is private."""
    try:
        from torch._subclasses.fake_tensor import FakeTensorMode
    except ImportError:
        return None
    return FakeTensorMode()


class FakeCudaBench:
    """Arguments and modules become fake "cuda" tensors; results come back as meta tensors."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._results: list[str] = []
        self._gap: str | None = None
        self._stack = ExitStack()
        self._mode = _fake_mode()

    def __enter__(self) -> FakeCudaBench:
        """Turn gradients off and fake tensors on."""
        if self._mode is not None:
            self._stack.enter_context(torch.no_grad())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Turn both back."""
        self._stack.close()

    def call(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Call with fake tensors; where there are none, answer with None and say so."""
        if self._mode is None:
            return None
        self._counts.own = lines.namespace(function)
        given, named = mapped(list(args), self._fake), mapped(dict(kwargs), self._fake)
        try:
            with placed(modules(function, args, kwargs), self._fake), self._mode, self._counts:
                result = function(*given, **named)
        except Exception as error:
            self._gap = next((str(error) for gap in GAPS if gap in str(error)), None)
            raise
        self._results = [tensor.device.type for tensor in tensors(result)]
        return mapped(result, _to_meta)

    def _fake(self, tensor: Tensor) -> Tensor:
        with self._mode:
            return torch.empty_strided(
                tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cuda"
            )

    def report(self) -> dict[str, Any]:
        """The counts, and whether the bench could do its work.

        Keys beside those of `Counts.report`: `available`, `gap` (PyTorch's words where the bench
        itself failed), `results` (device types), `host_tensors` (made on the CPU).
        """
        made = self._counts.created
        return self._counts.report() | {
            "available": self._mode is not None,
            "gap": self._gap,
            "results": self._results,
            "host_tensors": [t for t in made if t["device"] == "cpu" and t["shape"]][:SHOWN],
        }


def _to_meta(tensor: Tensor) -> Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")
