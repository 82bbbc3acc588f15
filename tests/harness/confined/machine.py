"""What this machine can do, and workers of each level, started once for all tests."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

import pytest

from grader.machinery import MachineryError
from grader.subject import Subject
from grader.subject.confined import ladder
from grader.subject.confined.levels import LEVELS, Level
from grader.subject.confined.process import Workers
from grader.subject.confined.zygote import Zygote
from grader.subject.protocol import Sources

_running = ExitStack()
atexit.register(_running.close)


@cache
def workers(level: int) -> Workers:
    """Workers of exactly this level. They end with this process.

    Where the machine cannot give the level, the test is skipped; on the project's own test
    machines, which can, it fails. A level that leaks fails everywhere.
    """
    try:
        return _running.enter_context(ladder.started(Level(level)))
    except ladder.LeakyError:
        raise
    except MachineryError as trouble:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"confinement level {level} is not to be had here: {trouble}")


class Lent(Zygote):
    """The zygote of a level that other tests use as well: whoever closes it does not end it."""

    def __init__(self, level: Level) -> None:
        self.__dict__ = workers(level.number).__dict__

    def close(self) -> None:
        """Others go on with it."""


@contextmanager
def submission(
    text: str,
    level: int = 1,
    *,
    forbidden: tuple[str, ...] = (),
    memory: int = 1024,
    seconds: float = 20,
) -> Iterator[Subject]:
    """A submission of one module, running in a worker."""
    subject = workers(level).open(
        Sources("answer", {"answer": text}), forbidden=forbidden, memory=memory, seconds=seconds
    )
    try:
        yield subject
    finally:
        subject.close()


@cache
def strongest() -> int:
    """The strongest level that this machine gives."""
    return next(level.number for level in LEVELS if _gives(level.number))


def _gives(level: int) -> bool:
    try:
        return bool(workers(level))
    except ladder.LeakyError:
        raise
    except (MachineryError, pytest.skip.Exception):
        return False


def wait_for_end(pid: int) -> None:
    """Wait until a process is gone, or a zombie that nobody has collected yet."""
    status = Path(f"/proc/{pid}/stat")
    for _ in range(400):
        try:
            if status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return
        except (FileNotFoundError, ProcessLookupError):
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} is still there after 20 s")
