"""Harmless break-outs, tried in a worker at start: a level counts only if all of them fail."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import SubmissionDied, SubmissionError, SubmissionTimeout
from ..protocol import Sources, Subject
from .process import MachineryError, Workers

TEXT = """
import ctypes
import errno
import os
import socket


def reads(file):
    return bool(open(file).read())


def writes(file):
    open(os.path.join(os.path.dirname(file), "canary"), "w").close()
    return True


def connects(file):
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    return True


def signals(file):
    os.kill(os.getppid(), 0)
    return True


def traces(file):
    # Nobody traces us, so where the call is let through it says "no such process".
    detach = 17
    ctypes.CDLL(None, use_errno=True).ptrace(detach, os.getpid(), 0, 0)
    return ctypes.get_errno() == errno.ESRCH


def starts(file):
    return os.posix_spawn("/bin/true", ["true"], {}) > 0


def looks(file):
    return bool(os.listdir(f"/proc/{os.getppid()}"))


def powers(file):
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    return ctypes.CDLL(None).capget(header, held) == 0 and any(held)


def notices(file):
    return bool(os.stat(file))


def shares(file):
    return os.getpid() != 1


def lacks(file):
    with open("canary", "w") as own:
        own.write("x")
    return False
"""


@dataclass(frozen=True)
class Canary:
    """A break-out: the lowest level that must stop it, and what it means that it succeeded."""

    function: str
    since: int
    meaning: str
    refused: bool = False
    """What an exception counts as: the break-out failed, unless it is one that must not raise."""


CANARIES = (
    Canary("reads", 1, "a worker could read a file of this machine"),
    Canary("writes", 1, "a worker could write a file on this machine"),
    Canary("connects", 1, "a worker could make a socket"),
    Canary("signals", 1, "a worker could signal its parent"),
    Canary("traces", 1, "a worker could trace processes"),
    Canary("starts", 1, "a worker could start another program"),
    Canary("looks", 1, "a worker could look at its parent in /proc"),
    Canary("powers", 1, "a worker held capabilities"),
    Canary("notices", 2, "a worker could tell that a file of this machine exists"),
    Canary("shares", 3, "a worker had no process namespace of its own"),
    Canary("lacks", 3, "a worker had no scratch folder", refused=True),
)


def escaped(workers: Workers, level: int) -> list[str]:
    """What a worker could do that its level should have stopped; empty if the level holds."""
    subject = workers.open(Sources("canaries", {"canaries": TEXT}), memory=256, seconds=60)
    try:
        with _file() as file:
            tried = [canary for canary in CANARIES if canary.since <= level]
            return [canary.meaning for canary in tried if _succeeds(canary, subject, file)]
    finally:
        subject.close()


def _succeeds(canary: Canary, subject: Subject, file: str) -> bool:
    try:
        return bool(getattr(subject, canary.function)(file))
    except (SubmissionDied, SubmissionTimeout) as error:
        raise MachineryError(f"it could not be tried whether {canary.meaning}: {error}") from None
    except SubmissionError:
        return canary.refused


@contextmanager
def _file() -> Iterator[str]:
    """A file that only this process should be able to read."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "secret")
        file.write_text("not for submissions", encoding="utf-8")
        yield os.fspath(file)
