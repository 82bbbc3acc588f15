"""A `Subject` whose calls are made in another process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

from torch import Tensor

from ..errors import SubmissionError
from ..protocol import Sources
from .link import Link
from .scripts import Numbered, Script
from .tape import Tape
from .turns import Seat

LEAST_PATIENCE = 0.125
"""The share of a time limit that is left to a submission that ran out of it again and again."""


class Confined:
    """A submission in a worker. For one thread.

    A worker that was killed for the time it took, or that ended by itself, is replaced by a
    fresh one when the next check begins.

    Args:
        seat: its place in a process, and what is refused there.
        sources: the judged module and the siblings that it may import.
        seconds: how long all calls may take until `begin` says otherwise.
        rehearsed: what the process knows scripts of, by name.
    """

    def __init__(
        self,
        seat: Seat,
        sources: Sources,
        seconds: float,
        rehearsed: Mapping[str, Numbered] = MappingProxyType({}),
    ) -> None:
        self._seat = seat
        self._sources = sources
        self._rehearsed = rehearsed
        self._patience = 1.0
        self._tape: Tape | None = None
        self._tapes: dict[str, Tape] = {}
        self._quiet = False
        self._link = self._linked(seconds)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._link.ask("function", (name, args, kwargs))

        return call

    def at_once(self, function: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """What many calls of a function give, for one request; None for those that raise."""
        found = self._link.ask("at once", (function, [tuple(args) for args in calls]))
        if not isinstance(found, list) or len(found) != len(calls):
            raise self._link.nonsense("not as many answers as calls")
        return found

    @contextmanager
    def on(self, bench: str, **settings: Any) -> Iterator[Mapping[str, Any]]:
        """Make the calls inside the `with` on a bench."""
        seen: dict[str, Any] = {}
        self._link.ask("enter", (bench, settings))
        try:
            yield seen
        except BaseException:
            with suppress(SubmissionError):  # what went wrong first is what matters
                self._link.ask("leave", None)
            raise
        seen.update(self._link.ask("leave", None))

    def output(self) -> str:
        """The end of what the submission printed since it was loaded."""
        return "" if self._quiet else self._link.process.output()

    def look_ahead(self, checks: Sequence[str], seconds: float) -> None:
        """Have the scripts of many checks performed, if that takes hardly any time.

        Where it does not go well, each check is foreseen by itself, from the start, and has all of
        its time.
        """
        known = {check: self._rehearsed[check] for check in checks if check in self._rehearsed}
        if not known:
            return
        self._begin(seconds * LEAST_PATIENCE)
        with suppress(SubmissionError):
            self._tapes = dict(zip(known, self._link.perform([*known.values()]), strict=False))
        self._link.late = False

    def foresee(self, check: str, seconds: float) -> str | None:
        """Have a check's script performed; the next check to begin finds the answers there."""
        if check not in self._rehearsed:
            return None
        self._quiet = len(self._tapes) > 1  # only the last to be performed may have printed
        self._tape = tape = self._tapes.pop(check, None) or self._performed(check, seconds)
        answers = tape.digest()
        if answers is None:
            return None
        # What is told of an exception quotes the submission's lines.
        quoted = repr(self._sources) if tape.has_errors() else ""
        return hashlib.sha256(f"{answers}{self.output()}{quoted}".encode()).hexdigest()

    def begin(self, seconds: float) -> None:
        """Start a check: from now on all its calls together may take this long.

        Whoever ran out of time before gets half of it, so that a loop without end in every check
        does not hold up everybody else; right code needs a hundredth of it.
        """
        tape, self._tape = self._tape, None
        if tape is None:
            self._begin(seconds)
        else:
            self._link.begin(seconds, tape)

    def record(self) -> None:
        """From the next check on, keep what it asks."""
        self._link.asked = []

    def recorded(self) -> Script:
        """What the check has asked."""
        return self._link.asked or []

    def close(self) -> None:
        """End the submission; nothing of it is left running when its turns end."""
        if self._link.alive:
            self._link.alive = False
            self._seat.leave(self._link.process)

    def _performed(self, check: str, seconds: float) -> Tape:
        self._begin(seconds)
        number, script = self._rehearsed[check]
        try:
            return self._link.perform([(number, script)])[0]
        except SubmissionError as error:
            return Tape(script, error)

    def _begin(self, seconds: float) -> None:
        self._quiet = False
        if self._link.late:
            self._patience = max(self._patience / 2, LEAST_PATIENCE)
        if not self._link.alive:
            self._link = self._linked(seconds * self._patience)
        self._link.begin(seconds * self._patience)

    def _linked(self, seconds: float) -> Link:
        process, allowed = self._seat.take()
        link = Link(process, self._sources, lambda n: RemoteModule(link, n), self._seat.check)
        link.begin(seconds)
        files = {module: self._sources.file(module) for module in self._sources.texts}
        what = (self._sources.judged, dict(self._sources.texts), files)
        link.ask("load", (*what, list(self._seat.unread), allowed))
        return link


class RemoteModule:
    """A `ModuleHandle` on a module in a worker."""

    def __init__(self, link: Link, number: int) -> None:
        self._link = link
        self.number = number

    def __call__(self, *args: Any) -> Any:
        """One forward pass."""
        return self._link.ask("module", (self, args))

    def parameters(self) -> dict[str, Tensor]:
        """Every parameter by name, as a copy."""
        found: dict[str, Tensor] = self._link.ask("parameters", self)
        return found

    def load(self, parameters: Mapping[str, Tensor]) -> None:
        """Set parameters by name."""
        self._link.ask("load parameters", (self, dict(parameters)))

    def train(self, mode: bool) -> None:
        """Set train or eval mode."""
        self._link.ask("train", (self, mode))

    def training(self) -> bool:
        """Whether the module is in train mode."""
        return bool(self._link.ask("training", self))
