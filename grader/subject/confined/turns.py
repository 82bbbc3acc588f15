"""Turns: the stages of one submission use one process after the other.

A fork costs what a stage's checks cost. A process that a stage has left is as good as new for the
next one of the same submission, unless the submission itself saw to it that it is not. That must
help no stage, and here is why it does not. Whoever writes a module may put into it what the modules
before it hold, and run that when it is imported. So what they left in the process is no more than
it could have made there itself, if two things hold:

- Nothing in the process was ever less refused than it is now. A process begins with all refused
  that this stage or a later one refuses, and what no stage to come refuses is allowed again, never
  the other way round. What takes a refusal back is known to the trusted process alone.
- The modules before it hold no names that lead around a refusal (`escapes`), and were read by the
  trusted process, since what is read in a process where a submission has run may be misread.
  A module with such a name has a process to itself.

And stages come in the order of the course: with a later one comes the reference of those before it,
which whoever came late might keep for them.

What is refused for the sake of a later stage must cost this one nothing. The refusal itself says
that it was reached, whatever becomes of its exception; then the stage is judged anew, from its
start, in a process of its own. Where that is kept back, or said though it is not so, nobody gains:
the first leaves an error in the submission's own answers, the second is asked about once a stage.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any

from ...machinery import Anew
from .. import escapes
from ..protocol import Sources
from .process import Process


class Turns:
    """The processes of one submission. A context manager that ends them all.

    Args:
        later: by a stage's module, the groups of operations that the stages after it refuse.

    Attributes:
        apart: the modules whose stages have to be judged in a process of their own.
    """

    def __init__(self, later: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
        self.apart: set[str] = set()
        self._later = later
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

    def last(self) -> None:
        """All stages were judged: for what comes now, nothing is refused for the sake of others."""
        self._later = {}

    def later(self, module: str) -> frozenset[str]:
        """What the stages after a module's stage refuse."""
        return frozenset(self._later.get(module, ()))

    def admit(self, sources: Sources, forbidden: Collection[str]) -> bool:
        """Whether a stage may share a process with others."""
        if sources.judged in self.apart:
            return False
        refused = self.later(sources.judged) | frozenset(forbidden)
        return not refused or all(map(escapes.clean, sources.texts.values()))

    def take(
        self, kind: Hashable, refused: Collection[str], start: Callable[[], Process]
    ) -> Process:
        """A process of a kind that has refused all this from its start: one left, or a new one."""
        left = self._free.get(kind, [])
        fit = next((process for process in left if process.refusals.keys() >= set(refused)), None)
        if fit is None:
            return start()
        left.remove(fit)
        fit.turn_page()
        return fit

    def leave(self, kind: Hashable, process: Process) -> None:
        """Keep a process for a later stage of its kind."""
        self._free.setdefault(kind, []).append(process)


class Seat:
    """A stage's place in a process, one of its own or one that others use before and after it.

    Args:
        kind: what the process must be like.
        start: makes a process of that kind.
        sources: the judged module and its siblings.
        forbidden: groups of operations that the stage refuses.
        turns: the processes of the same submission, if it may share them.

    Attributes:
        unread: groups for whose sake the process that runs the sources has to read them first.
    """

    def __init__(
        self,
        kind: Hashable,
        start: Callable[[], Process],
        sources: Sources,
        forbidden: Collection[str],
        turns: Turns | None,
    ) -> None:
        self._kind = kind
        self._start = start
        self._module = sources.judged
        self._turns = turns if turns and turns.admit(sources, forbidden) else None
        later = self._turns.later(sources.judged) if self._turns else frozenset[str]()
        self._only_later = later - frozenset(forbidden)
        self._refused = later | frozenset(forbidden)
        self.unread = () if self._turns else tuple(forbidden)

    def take(self) -> tuple[Process, list[int]]:
        """A process, and what takes back there all that need not be refused any more."""
        if self._turns is None:
            process = self._start()
        else:
            process = self._turns.take(self._kind, self._refused, self._start)
        spare = process.refusals.keys() - self._refused
        return process, [handle for group in spare for handle in process.refusals.pop(group)]

    def leave(self, process: Process) -> None:
        """The stage is over."""
        if self._turns is None:
            process.end()
        else:
            self._turns.leave(self._kind, process)

    def check(self, answer: Mapping[str, Any]) -> None:
        """Look at what a process says that it refused; it may say anything.

        Raises:
            Anew: it is something that the stage itself allows.
        """
        said = answer.get("refused")
        if self._turns and isinstance(said, list) and any(g in said for g in self._only_later):
            self._turns.apart.add(self._module)
            raise Anew
