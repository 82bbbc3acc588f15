"""Turns: the stages of one submission use one process after the other, where they may do the same.

A fork costs what a stage's checks cost. A process that a stage has left is as good as new for the
next one of the same submission, unless the submission itself saw to it that it is not. That must
help no stage:

- A process in which other operations are refused is another one, begun afresh: whoever came before
  might have taken away what refuses them.
- Stages come in the order of the course: with a later one comes the reference of those before it,
  which whoever came late might keep for them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from types import TracebackType

from .process import Process


class Turns:
    """The processes of one submission. A context manager that ends them all."""

    def __init__(self) -> None:
        self._free: dict[Hashable, list[Process]] = {}

    def __enter__(self) -> Turns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for left in self._free.values():
            for process in left:
                process.end()

    def take(self, kind: Hashable, start: Callable[[], Process]) -> Process:
        """A process of a kind: one that was left, or a new one."""
        left = self._free.get(kind)
        if not left:
            return start()
        process = left.pop()
        process.turn_page()
        return process

    def leave(self, kind: Hashable, process: Process) -> None:
        """Keep a process for a later stage of its kind."""
        self._free.setdefault(kind, []).append(process)


def seat(
    turns: Turns | None, kind: Hashable, forbidden: Sequence[str], start: Callable[[], Process]
) -> tuple[Callable[[], Process], Callable[[Process], object]]:
    """How a stage gets its process and what it does with it at the end, with turns or without."""
    if turns is None:
        return start, lambda process: process.end()
    alike = kind, frozenset(forbidden)
    return partial(turns.take, alike, start), partial(turns.leave, alike)
