"""A run that takes its time, to be killed: `python long_run.py CLASS STORE JOURNAL`.

What judges is a stand-in: its result follows from the submission alone, and it notes each
submission before it says the result.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from grader.batch.local import Run
from grader.batch.store import Store
from grader.intake import find
from grader.record import Chain, Status, SubmissionResult
from grader.submission import Submission

MODULES = ("double", "half")


class StandIn:
    """Judges that need no workers."""

    room = 4
    accelerated = False

    def __init__(self, journal: Path) -> None:
        self._journal = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

        self._pool = ThreadPoolExecutor(2)

    def submit(self, submission: Submission) -> Future[SubmissionResult]:
        """Judge in a thread."""
        return self._pool.submit(self.judge, submission)

    def judge(self, submission: Submission) -> SubmissionResult:
        """Take five milliseconds."""
        time.sleep(0.005)
        os.write(self._journal, f"{submission.digest}\n".encode())
        chain = Chain(Status.NOT_JUDGED, submission.texts["half"])
        return SubmissionResult("", "", submission.digest, 0.0, (), chain)

    def close(self) -> None:
        """Nothing to end."""


def main(class_: str, store_file: str, journal: str) -> None:
    """Judge a class, and say when all is done."""
    with ExitStack() as stack:
        candidates = find([Path(class_)], MODULES, stack)
        store = stack.enter_context(Store(store_file))
        run = Run(store, StandIn(Path(journal)), MODULES, "suite", store.seed())
        run.over(candidates)
        for result in run.results():
            print(result.id, result.digest, result.chain.message.strip())  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
