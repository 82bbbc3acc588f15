"""What judges on a worker in these tests: results follow from the text, and failures as it says."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import cast

from distributed import get_worker

from grader.batch.cluster.judges import Cluster, Shape
from grader.batch.cluster.roll import PREFIX
from grader.batch.cluster.worker import Judging
from grader.batch.judges import Judges, NotStarted
from grader.batch.talk import Orders, Part
from grader.machinery import MachineryError
from grader.record import Chain, Isolation, StageResult, Status, SubmissionResult
from grader.submission import Submission

STAGES = ("double", "half")
ISOLATION = Isolation(3, ("everything",), ())
PARTS = {Part.WHOLE: STAGES, Part.PLAIN: STAGES[:1], Part.ACCELERATED: STAGES[1:]}


def result(submission: Submission, part: Part = Part.WHOLE) -> SubmissionResult:
    """What a submission comes to."""
    points = float(len(submission.texts["half"]) % 7)
    stages = tuple(StageResult(name, Status.FAILED, points, ()) for name in PARTS[part])
    message = "" if part is Part.ACCELERATED else submission.texts["half"]
    return SubmissionResult("", "", submission.digest, 0.0, stages, Chain(Status.PASSED, message))


class Quick:
    """Judges without processes; they note whom they judge before they do."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal

    def judge_once(self, submission: Submission, part: Part) -> SubmissionResult:
        """Do as the text says."""
        text, worker = submission.texts["half"], get_worker().name
        self._note(f"{submission.digest} {worker} {part}\n")
        while "waits for another" in text and len(self._journal.read_text().splitlines()) < 2:
            time.sleep(0.01)
        time.sleep(0.5 if "waits for another" in text else 0.02)
        if "ends its worker" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "always fails" in text or f"fails on {worker}" in text:
            raise MachineryError("no room")
        return result(submission, part)

    def close(self) -> None:
        """Nothing to end."""

    def _note(self, line: str) -> None:
        with self._journal.open("a") as file:
            file.write(line)


class StandIn(Judging):
    """The plugin, but for what it starts.

    Args:
        name: of the run.
        journal: where judging is noted.
        broken: names of workers on which nothing starts.
    """

    def __init__(self, name: str, journal: Path, broken: tuple[str, ...] = ()) -> None:
        super().__init__(Orders("", STAGES, ""), "", name)
        self._journal, self._broken = journal, broken

    async def setup(self, worker: object) -> None:
        """Note the worker's name before all else."""
        self._worker = str(getattr(worker, "name", ""))
        await super().setup(worker)  # type: ignore[arg-type]

    def started(self, jobs: int) -> Judges:
        """Judges, except on workers that are broken."""
        assert jobs == 1
        if self._worker in self._broken:
            raise NotStarted("its disk is full")
        return cast("Judges", Quick(self._journal))


def name(client: object) -> str:
    """The name of a client's run."""
    return f"{PREFIX}{getattr(client, 'id', '')}"


__all__ = ["ISOLATION", "Cluster", "Shape", "StandIn", "name", "result"]
