"""Single keys from a terminal, on every system; without a terminal, the first letter of a line."""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

Read: TypeAlias = Callable[[], str]
"""Waits for a key; empty when no more will come."""


@contextmanager
def reading() -> Iterator[Read]:
    """How to read keys here; afterwards the terminal is as it was."""
    if not sys.stdin.isatty():
        yield _line
    elif sys.platform == "win32":
        yield _windows_key
    else:
        with _unbuffered():
            yield lambda: os.read(sys.stdin.fileno(), 1).decode("latin-1")


def _line() -> str:
    line = sys.stdin.readline()
    return line[:1] if line else ""


def _windows_key() -> str:
    console: Any = importlib.import_module("msvcrt")
    while not console.kbhit():  # getwch alone would hold Ctrl-C back
        time.sleep(0.05)
    return str(console.getwch())


@contextmanager
def _unbuffered() -> Iterator[None]:
    """Keys come one by one and are not echoed; Ctrl-C still interrupts."""
    termios: Any = importlib.import_module("termios")  # not on every system
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    now = termios.tcgetattr(terminal)
    now[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(terminal, termios.TCSADRAIN, now)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
