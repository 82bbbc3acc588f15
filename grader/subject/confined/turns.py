"""Turns: the stages of one submission use one process after the other, where they may do the same.

A fork costs what a stage's checks cost. A process that a stage has left is as good as new for the
next one of the same submission, unless the submission itself saw to it that it is not. What was
refused in it stays refused, so stages that refuse more come later.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from types import TracebackType

from .process import Process


class Turns:
    """The processes of one submission. A context manager that ends them all."""

    def __init__(self) -> None:
        self._free: dict[Hashable, list[tuple[frozenset[str], Process]]] = {}

    def __enter__(self) -> Turns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for left in self._free.values():
            for _, process in left:
                process.end()

    def take(
        self, kind: Hashable, refused: frozenset[str], start: Callable[[], Process]
    ) -> Process:
        """A process of a kind in which no more is refused than that: one that was left, or not."""
        left = self._free.get(kind, [])
        for entry in left:
            if entry[0] <= refused:
                left.remove(entry)
                entry[1].turn_page()
                return entry[1]
        return start()

    def leave(self, kind: Hashable, refused: frozenset[str], process: Process) -> None:
        """Keep a process for a later stage of its kind."""
        self._free.setdefault(kind, []).append((refused, process))


def seat(
    turns: Turns | None, kind: Hashable, forbidden: Sequence[str], start: Callable[[], Process]
) -> tuple[Callable[[], Process], Callable[[Process], object]]:
    """How a stage gets its process and what it does with it at the end, with turns or without."""
    if turns is None:
        return start, lambda process: process.end()
    refused = frozenset(forbidden)
    return partial(turns.take, kind, refused, start), partial(turns.leave, kind, refused)
