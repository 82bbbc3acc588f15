"""A submission in this process outside of pytest, which would hold its clock and its output."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from .alarm import TimeIsUp, alarm, timeout
from .in_process import InProcess


class Alone(InProcess):
    """An `InProcess` that limits the time of its calls itself and drops what they print."""

    _seconds = 0.0
    _deadline = float("inf")

    def begin(self, seconds: float) -> None:
        """From now on all calls together may take this long."""
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def plain(self) -> InProcess:
        """The same submission without limits and silence, which would take longer than a call."""
        return InProcess(self._host.sources, self._host.forbidden)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = super().__getattr__(name)

        def limited(*args: Any, **kwargs: Any) -> Any:
            try:
                with _silence(), alarm(self._deadline - time.monotonic()):
                    return call(*args, **kwargs)
            except TimeIsUp as late:
                raise timeout(self._seconds, late) from None

        return limited


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123 - no path of ours
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield
