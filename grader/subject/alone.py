"""A submission in this process outside of pytest, which would hold its clock and its output."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from .errors import SubmissionTimeout, own_frames
from .in_process import InProcess
from .package import loaded_files


class Alone(InProcess):
    """An `InProcess` that limits the time of its calls itself and drops what they print.

    The limit needs the main thread of a POSIX system; elsewhere calls may take any time.
    """

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
                with _silence(), _alarm(self._deadline - time.monotonic()):
                    return call(*args, **kwargs)
            except _TimeIsUp as alarm:
                timeout = SubmissionTimeout(self._seconds)
                timeout.frames = own_frames(alarm, loaded_files())
                raise timeout from None

        return limited


class _TimeIsUp(BaseException):
    """Not an `Exception`, so that a submission's `except Exception` does not hold it."""


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123 - no path of ours
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `_TimeIsUp` in the block after some seconds; an alarm that was set before goes on."""
    if seconds == float("inf") or not _can_be_interrupted():
        yield
        return
    handler = signal.signal(signal.SIGALRM, _time_is_up)
    before = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)
        signal.signal(signal.SIGALRM, handler)


def _can_be_interrupted() -> bool:
    return hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()


def _time_is_up(_signum: int, _frame: FrameType | None) -> None:
    raise _TimeIsUp
