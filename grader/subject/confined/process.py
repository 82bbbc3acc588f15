"""A submission's process, seen from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from ...machinery import MachineryError as MachineryError  # for those who start processes
from ...record import Isolation
from ..protocol import Sources, Subject
from .frames import Channel
from .scripts import Script

if TYPE_CHECKING:
    from .turns import Turns


class Process(Protocol):
    """A process that runs one submission, and the connection to it.

    Attributes:
        refusals: the groups of operations that are refused in it, and what takes that back.
    """

    channel: Channel
    refusals: dict[str, list[int]]

    def end(self, patience: float = 0.0) -> int | None:
        """Make sure that nothing of it runs any more; may be called again.

        Args:
            patience: seconds in which it may end by itself.

        Returns:
            Its exit code as `subprocess` has it, or None if it had to be killed.

        Raises:
            MachineryError: what holds the process is gone.
        """
        ...

    def output(self) -> str:
        """The end of what it printed since the page was turned."""
        ...

    def turn_page(self) -> None:
        """Another stage begins: what was printed so far is not its own."""
        ...


class Remote(Subject, Protocol):
    """A subject in another process, which can tell what it was asked."""

    def record(self) -> None:
        """From the next check on, keep what it asks."""
        ...

    def recorded(self) -> Script:
        """What the check has asked so far."""
        ...


class Workers(Protocol):
    """What gives every submission a process of its own. A context manager."""

    @property
    def isolation(self) -> Isolation:
        """What to write into a record."""
        ...

    def __enter__(self) -> Workers: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def open(
        self,
        sources: Sources,
        *,
        forbidden: Sequence[str] = (),
        memory: int,
        seconds: float,
        accelerator: bool = False,
        turns: Turns | None = None,
    ) -> Remote:
        """A judged stage in a process of its own.

        Args:
            sources: the judged module and the siblings that it may import.
            forbidden: groups of built-in operations that the stage refuses.
            memory: MiB that it may use on top of the interpreter.
            seconds: how long all calls may take until `begin` says otherwise.
            accelerator: whether it may use the machine's, if there is one.
            turns: the processes of the same submission; without them it gets one for itself.

        Raises:
            MachineryError: no process could be had.
        """
        ...

    def rehearse(self, scripts: Mapping[str, Script]) -> None:
        """Tell all processes to come what checks are known to ask, by the checks' names."""
        ...

    def close(self) -> None:
        """End them all."""
        ...
