"""Processes that judge, seen from the run: they are started, asked, and replaced when they fail."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ..course import CourseError
from ..machinery import MachineryError
from ..record import Isolation, SubmissionResult, submission_from_dict
from ..subject.confined import levels
from ..submission import Submission
from .talk import Orders, Part, hear, orders_line, packed, say

TRIES = 3
"""How often a submission is tried before the machinery's failure is reported."""
_PACKAGE = Path(__file__).resolve().parents[2]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


class NotStarted(MachineryError):
    """A process that judges did not get ready: that has nothing to do with any submission."""


class JudgingProcess:
    """One process that judges.

    Raises:
        CourseError: it refused the orders: suites are broken, or submissions cannot be confined.
        NotStarted: it did not get ready.
    """

    def __init__(self, orders: Orders) -> None:
        path = os.pathsep.join(filter(None, [str(_PACKAGE), os.environ.get("PYTHONPATH")]))
        self._program = subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.batch.judging"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
            encoding="utf-8",
        )
        try:
            told = self._asked(orders_line(orders))["ready"]
        except MachineryError as error:
            self.close()
            raise NotStarted(str(error)) from None
        except BaseException:
            self.close()
            raise
        self.isolation = Isolation(
            told["level"], tuple(told["enforced"]), tuple(told["not_enforced"])
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._program.pid

    def judge(self, submission: Submission, part: Part = Part.WHOLE) -> SubmissionResult:
        """One submission's result, or a part of it, without a name.

        Raises:
            MachineryError: it ended, or what runs submissions for it failed.
        """
        line = packed(submission) | {"part": part}
        return submission_from_dict(self._asked(line)["result"])

    def kill(self) -> None:
        """End it at once, and with it the zygote and every worker; whoever waits for it hears."""
        self._program.kill()

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self.kill()
        self._program.communicate()

    def _asked(self, line: dict[str, Any]) -> dict[str, Any]:
        ins, out = self._program.stdin, self._program.stdout
        try:
            if ins is None or out is None:
                raise BrokenPipeError
            say(ins, **line)
            answer = hear(out)
        except (OSError, ValueError) as error:
            raise MachineryError(f"a process that judges is gone: {error!r}") from None
        if answer is None:
            raise MachineryError("a process that judges ended by itself")
        if "refused" in answer:
            raise CourseError(answer["refused"])
        if "trouble" in answer:
            raise MachineryError(answer["trouble"])
        return answer


class Judges:
    """Several processes that judge alike. A context manager; may be used by several threads.

    Args:
        orders: what to judge by; the first process finds the level, and all others use it.
        jobs: how many processes.

    Attributes:
        isolation: what they enforce.
        accelerated: whether they have an accelerator for what needs one.
        room: how many submissions may be under way, so that no process waits for one.
    """

    def __init__(self, orders: Orders, jobs: int) -> None:
        first = JudgingProcess(orders)
        self.isolation = first.isolation
        self.accelerated = levels.opened(first.isolation)
        self.room = 2 * jobs
        self._pool = ThreadPoolExecutor(jobs)
        self._orders = replace(orders, level=first.isolation.level)
        self._closed = False
        self._running = {first}
        self._idle: queue.SimpleQueue[JudgingProcess | None] = queue.SimpleQueue()
        self._idle.put(first)
        for _ in range(jobs - 1):
            self._idle.put(None)  # a process is started when it is first needed

    def __enter__(self) -> Judges:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def submit(self, submission: Submission) -> Future[SubmissionResult]:
        """Judge one submission as soon as there is a process for it; see `judge`."""
        return self._pool.submit(self.judge, submission)

    def judge(self, submission: Submission) -> SubmissionResult:
        """One submission's result; what fails on our side is tried again with a fresh process.

        Raises:
            MachineryError: it failed every time.
        """
        for _ in range(TRIES - 1):
            try:
                return self.judge_once(submission)
            except MachineryError:
                if self._closed:
                    raise
        return self.judge_once(submission)

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        self._closed = True
        for process in list(self._running):
            process.kill()
        self._pool.shutdown(cancel_futures=True)
        while not self._idle.empty():
            idle = self._idle.get()
            if idle is not None:
                idle.close()

    def judge_once(self, submission: Submission, part: Part = Part.WHOLE) -> SubmissionResult:
        """One submission's result, or a part of it; a process that fails is replaced by the next.

        Raises:
            MachineryError: it failed.
        """
        with self._process() as process:
            return process.judge(submission, part)

    @contextmanager
    def _process(self) -> Iterator[JudgingProcess]:
        """An idle process, or a fresh one; one that fails is not used again."""
        process = self._idle.get()
        kept: JudgingProcess | None = None
        try:
            if process is None:
                process = JudgingProcess(self._orders)
                self._running.add(process)
            yield process
            kept = process
        finally:
            if kept is None and process is not None:
                self._running.discard(process)
                process.close()
            self._idle.put(kept)
