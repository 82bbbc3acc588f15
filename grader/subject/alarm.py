"""A limit on how long this thread may go on, on every system that Python runs on.

Where there is SIGALRM, a signal interrupts whatever runs, a sleep as well. Elsewhere, Windows above
all, another thread raises the exception in this one: that ends a loop in Python, though not a call
that never comes back to Python.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from .errors import SubmissionTimeout, own_frames
from .package import loaded_files

LEAST, AGAIN = 1e-3, 0.5
"""Seconds: the shortest limit, and how soon it is told again to who went on all the same."""


class TimeIsUp(BaseException):
    """Not an `Exception`, so that a submission's `except Exception` does not hold it."""


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUp` in the block after some seconds; an alarm that was set before goes on."""
    if seconds == float("inf"):
        yield
    elif hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread():
        with _by_signal(max(seconds, LEAST)):
            yield
    else:
        with _from_a_thread(max(seconds, LEAST)):
            yield


def timeout(seconds: float, late: TimeIsUp) -> SubmissionTimeout:
    """What is told of a submission that was interrupted, with the line where it was."""
    told = SubmissionTimeout(seconds)
    told.frames = own_frames(late, loaded_files())
    return told


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    handler = signal.signal(signal.SIGALRM, _time_is_up)
    before = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)
        signal.signal(signal.SIGALRM, handler)


def _time_is_up(_signum: int, _frame: FrameType | None) -> None:
    raise TimeIsUp


@contextlib.contextmanager
def _from_a_thread(seconds: float) -> Iterator[None]:
    thread, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def ring() -> None:
        wait = seconds
        while not over.wait(wait):
            with lock:
                if not over.is_set():
                    _raise_in(thread, TimeIsUp)
            wait = AGAIN  # a submission may have swallowed it

    threading.Thread(target=ring, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()
            _raise_in(thread, None)  # one that is on its way has nobody to reach any more


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in another thread before its next step in Python; None takes it back."""
    raise_ = ctypes.pythonapi.PyThreadState_SetAsyncExc
    raise_(ctypes.c_ulong(thread), ctypes.py_object(error) if error else None)
