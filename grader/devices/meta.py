"""The `meta` bench: tensors without data, so that whatever needs the host's data fails.

It knows no machine's device by name, which catches code that does ("cuda" written out), too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from torch import Tensor

from . import lines
from .counting import SHOWN, Counts
from .moving import mapped, modules, placed, tensors


def _to_meta(tensor: Tensor) -> Tensor:
    return tensor.detach().to("meta")


class MetaBench:
    """Arguments and modules go to the meta device; results stay there."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._results: list[str] = []

    def __enter__(self) -> MetaBench:
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
        """Call on the meta device. PyTorch raises where data of the host are needed."""
        self._counts.own = lines.namespace(function)
        given, named = mapped(list(args), _to_meta), mapped(dict(kwargs), _to_meta)
        with placed(modules(function, args, kwargs), _to_meta), self._counts:
            result = function(*given, **named)
        self._results = [tensor.device.type for tensor in tensors(result)]
        return result

    def report(self) -> dict[str, Any]:
        """The counts, and where tensors were made.

        Keys beside those of `Counts.report`: `results` (device types of the last call's),
        `host_tensors` and `host_scalars` (made on the CPU; a scalar has no dimensions).
        """
        host = [made for made in self._counts.created if made["device"] == "cpu"]
        return self._counts.report() | {
            "results": self._results,
            "host_tensors": [made for made in host if made["shape"]][:SHOWN],
            "host_scalars": [made for made in host if not made["shape"]][:SHOWN],
        }
