"""Calls on the worker's side: what a request brings, and requests made ready before the fork.

What a worker finds ready in the memory that it shares with the zygote, it need not make.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from ...devices import benches
from .scripts import Script
from .wire import Incoming


class Call:
    """One request and the memory that came with it.

    Attributes:
        request: what is asked.
        pristine: the memory as it came.
    """

    def __init__(self, request: dict[str, Any], storages: dict[str, Tensor]) -> None:
        self.request = request
        self.pristine = storages
        self._incoming: Incoming | None = None

    def ready(self) -> Call:
        """This call, with the arguments in place."""
        self._incoming = self.incoming()
        return self

    def incoming(self) -> Incoming:
        """The call's arguments, in memory of their own, which the submission may write to."""
        if self._incoming is not None:
            return self._incoming
        own = {name: flat.clone() for name, flat in self.pristine.items()}
        incoming = Incoming(self.request["tensors"], own)
        for layout, tensor in zip(self.request["tensors"], incoming.tensors, strict=True):
            tensor.requires_grad_(layout["grad"])
        return incoming


class Rehearsed:
    """A script whose calls are ready, for one performance."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._ready = [Call(line.header, line.memory).ready() for line in script]
        for line in script:
            if line.header["do"] == "enter":
                name, _ = line.header["value"]["tuple"]
                benches.kind(name)  # imports it

    def calls(self) -> Iterator[Call]:
        """The calls in their order; those of a second performance are made afresh."""
        ready, self._ready = self._ready, []
        yield from ready or (Call(line.header, line.memory) for line in self._script)
