"""A `Subject` whose calls are made in another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from torch import Tensor

from ..errors import SubmissionError
from ..protocol import Sources
from .frames import Deadline
from .link import Link
from .process import Process

LEAST_PATIENCE = 0.125
"""The share of a time limit that is left to a submission that ran out of it again and again."""


class Confined:
    """A submission in a worker. For one thread.

    A worker that was killed for the time it took, or that ended by itself, is replaced by a
    fresh one when the next check begins.

    Args:
        start: makes a worker.
        sources: the judged module and the siblings that it may import.
        forbidden: groups of built-in operations that the stage refuses.
        seconds: how long all calls may take until `begin` says otherwise.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        sources: Sources,
        forbidden: Sequence[str],
        seconds: float,
    ) -> None:
        self._start = start
        self._sources = sources
        self._forbidden = forbidden
        self._patience = 1.0
        self._link = self._linked(seconds)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._link.ask("function", (name, args, kwargs))

        return call

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
        return self._link.process.output()

    def begin(self, seconds: float) -> None:
        """Start a check: from now on all its calls together may take this long.

        Whoever ran out of time before gets half of it, so that a loop without end in every check
        does not hold up everybody else; right code needs a hundredth of it.
        """
        if self._link.late:
            self._patience = max(self._patience / 2, LEAST_PATIENCE)
        seconds *= self._patience
        if self._link.alive:
            self._link.deadline = Deadline(seconds)
        else:
            self._link = self._linked(seconds)

    def close(self) -> None:
        """End the submission; nothing of it is left running."""
        self._link.end()

    def _linked(self, seconds: float) -> Link:
        link = Link(self._start(), self._sources, lambda number: RemoteModule(link, number))
        link.deadline = Deadline(seconds)
        files = {module: self._sources.file(module) for module in self._sources.texts}
        what = (self._sources.judged, dict(self._sources.texts), files, list(self._forbidden))
        link.ask("load", what)
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
