"""Calls on the worker's side: what a request brings, and requests made ready before the fork.

What a worker finds ready in the memory that it shares with the zygote, it need not make.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

from ...devices import benches
from . import places
from .frames import BadFrame
from .scripts import Memory, Script
from .wire import Incoming, Other


class Given(Incoming):
    """A call's arguments, in memory of their own, which the submission may write to.

    Args:
        layouts: every tensor's place.
        came: the memory as it came.
    """

    def __init__(self, layouts: Iterable[Any], came: Memory) -> None:
        super().__init__(layouts, {name: flat.clone() for name, flat in came.items()})
        for layout, tensor in zip(layouts, self.tensors, strict=True):
            tensor.requires_grad_(layout["grad"])
        self._came, self._now = places.in_bytes(came), places.in_bytes(self.storages)
        self._lay = [places.lying(tensor) for tensor in self.tensors]

    def changed(self) -> Memory:
        """The memory that was written to."""
        return {name: self.storages[name] for name in places.changed(self._now, self._came)}

    def moved(self) -> dict[str, Any]:
        """The new places of tensors that lie otherwise than they came; see `places.moved`."""
        return places.moved(self._lay, self.tensors, self.storages)


class Call:
    """One request and the memory that came with it.

    Attributes:
        request: what is asked.
    """

    def __init__(self, request: dict[str, Any], memory: Memory) -> None:
        self.request = request
        self._memory = memory
        self._given: Given | None = None
        self._value: Any = None

    def ready(self) -> Call:
        """This call, with all in place that no module of the submission is needed for."""
        self._given = given = self.given()
        given.known  # noqa: B018 - looked up before the fork, and kept
        with suppress(BadFrame):
            self._value = given.value(self.request["value"], _later)
        return self

    def given(self) -> Given:
        """The call's arguments."""
        return self._given or Given(self.request["tensors"], self._memory)

    def value(self, given: Given, other: Other) -> Any:
        """What is handed over with the request; see `Incoming.value`."""
        if self._value is not None:
            return self._value
        return given.value(self.request["value"], other)


def _later(*_: object) -> NoReturn:
    raise BadFrame("a value that only the worker can make")


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
