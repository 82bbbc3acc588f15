"""The other end of the warm processes: they are started here, asked here, and heard here."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..record import StageResult, SubmissionResult, submission_from_dict

FORKS = sys.platform == "linux"
"""Elsewhere there is no fork, or the system's own libraries do not survive one."""
GRACE = 2.0
"""Seconds that a warm process has to end the judgement that it has forked."""


@dataclass(frozen=True)
class Judged:
    """One stage of a request, as soon as it is judged."""

    id: int
    stage: StageResult


@dataclass(frozen=True)
class Done:
    """Everything that a request asked for."""

    id: int
    result: SubmissionResult
    page: str = ""
    """Where the page of a finished course was written."""


@dataclass(frozen=True)
class Ended:
    """The process of a request has ended: after its answer, or instead of it."""

    id: int
    code: int


@dataclass(frozen=True)
class Trouble:
    """The course itself cannot be judged by; the text says why."""

    text: str


News: TypeAlias = "Judged | Done | Ended | Trouble"
Hear: TypeAlias = Callable[[News], None]


class Judges:
    """Judges a folder, stage by stage, in processes that are warm; only the newest request counts.

    Args:
        root: the course's folder.
        folder: the learner's modules.
        hear: called with everything that comes back, from another thread.
    """

    def __init__(self, root: Path, folder: Path, hear: Hear) -> None:
        self._root = root
        self._folder = folder
        self._hear = hear
        self._newest = 0
        self._warm = self._started()
        self._busy: _Process | None = None

    def ask(self, stages: Sequence[str]) -> int:
        """Judge some stages as they are on the disk now; what was asked before is dropped.

        Returns:
            The request's id, which its answers carry.
        """
        self._newest += 1
        request = {"id": self._newest, "folder": str(self._folder), "stages": list(stages)}
        if not self._warm.ask(request):  # it has ended: killed by somebody, or out of memory
            self._warm = self._started()
            self._warm.ask(request)
        if not FORKS:
            self._drop()
            self._busy, self._warm = self._warm, self._started()
        return self._newest

    def close(self) -> None:
        """End every process."""
        self._drop()
        self._warm.end()

    def _started(self) -> _Process:
        return _Process(self._root, self._told)

    def _drop(self) -> None:
        if self._busy is not None:
            self._busy.end()

    def _told(self, message: dict[str, Any]) -> None:
        if "trouble" in message:
            self._hear(Trouble(message["trouble"]))
        elif message["id"] == self._newest:
            self._hear(_read(message))


def _read(message: dict[str, Any]) -> News:
    if "stage" in message:
        return Judged(message["id"], submission_from_dict(message["stage"]).stages[0])
    if "result" in message:
        return Done(message["id"], submission_from_dict(message["result"]), message["page"])
    return Ended(message["id"], message["ended"])


class _Process:
    """One warm process."""

    def __init__(self, root: Path, told: Callable[[dict[str, Any]], None]) -> None:
        self._told = told
        self._request: int | None = None
        threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.watch.warm", "fork" if FORKS else "once"],
            cwd=root,
            env={**os.environ, **threads},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, request: dict[str, Any]) -> bool:
        """Send a request; False if the process is not there any more."""
        assert self._process.stdin is not None  # noqa: S101 - for the type checker: it is a pipe
        self._request = request["id"]
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def end(self) -> None:
        """End it, and the judgement that it has forked."""
        assert self._process.stdin is not None  # noqa: S101 - for the type checker: it is a pipe
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(GRACE if FORKS else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - likewise
        with self._process.stdout as answers:
            for line in answers:
                self._told(json.loads(line))
        if self._request is not None:
            self._told({"id": self._request, "ended": self._process.wait()})
