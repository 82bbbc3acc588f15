"""Scripts: what a check is known to ask, so that a worker can answer all of it at once.

A run draws a check's inputs once, so the check asks everybody the same. What it asked of the
reference is its script. A worker goes through a script at one word and sends all answers in one
frame; the check then finds them on a tape, and never waits. Only requests are kept, which every
submission is given anyway; no answer of the reference leaves the trusted process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from . import frames, places
from .frames import BadFrame

Header = dict[str, Any]
Memory = dict[str, Tensor]


@dataclass(frozen=True)
class Line:
    """One request: what is asked, and the memory that goes with it."""

    header: Header
    memory: Memory

    @classmethod
    def of(cls, header: Header, memory: Memory) -> Line:
        """A request as it is now; what becomes of the caller's tensors later does not matter."""
        return cls(header, {name: flat.clone() for name, flat in memory.items()})

    def asks(self, header: Header, memory: Memory) -> bool:
        """Whether this is that very request, whichever number the call has."""
        same = {**header, "call": 0} == {**self.header, "call": 0}
        same = same and memory.keys() == self.memory.keys()
        return same and not places.changed(places.in_bytes(memory), places.in_bytes(self.memory))


Script = Sequence[Line]
Numbered = tuple[int, Script]
"""A script, and its number among those that workers have."""


def packed(scripts: Iterable[Script]) -> bytes:
    """Scripts as frames, for the process that forks workers."""
    return b"".join(
        frames.packed({"lines": [line.header for line in script]}, together(script))
        for script in scripts
    )


def unpacked(data: bytes) -> list[Script]:
    """Scripts from their frames."""
    return [
        [
            Line(*line)
            for line in zip(header["lines"], apart(tensors, len(header["lines"])), strict=True)
        ]
        for header, tensors in frames.unpacked(data)
    ]


def together(lines: Iterable[Line]) -> Memory:
    """The memory of many requests or answers under one roof; see `apart`."""
    return {
        f"{number}/{name}": flat
        for number, line in enumerate(lines)
        for name, flat in line.memory.items()
    }


def apart(memory: Mapping[str, Tensor], count: int) -> list[Memory]:
    """Each request's or answer's own memory again.

    Raises:
        BadFrame: a name is none that `together` makes.
    """
    found: list[Memory] = [{} for _ in range(count)]
    for name, flat in memory.items():
        number, _, own = name.partition("/")
        if not number.isdecimal() or int(number) >= count:
            raise BadFrame(f"memory of no known answer: {name!r:.40}")
        found[int(number)][own] = flat
    return found
