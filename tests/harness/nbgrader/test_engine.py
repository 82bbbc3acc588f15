"""What judges for nbgrader asks its judges once, and again where they can tell more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from grader.batch.talk import Orders
from grader.nbgrader import engine
from grader.record import Chain, CheckResult, Isolation, StageResult, Status, SubmissionResult
from grader.submission import Submission
from harness.nbgrader.handing_in import COURSE

WORK = Submission("alice", "", {"softmax": "def row_softmax(scores): ..."})


@dataclass
class Judges:
    """Judges that time where they have an accelerator."""

    orders: Orders
    jobs: int
    accelerated = False
    asked = 0
    isolation = Isolation(3)

    def judge(self, submission: Submission) -> SubmissionResult:
        """Count, and time if it can be."""
        type(self).asked += 1
        status = Status.PASSED if self.accelerated else Status.NOT_JUDGED
        check = CheckResult("gpu.speed", "Speed", True, status, 0.0, 4.0)
        stage = StageResult("gpu", Status.PASSED, 4.0, (check,))
        chain = Chain(Status.NOT_JUDGED)
        return SubmissionResult("", "", submission.digest, 0.0, (stage,), chain)

    def close(self) -> None:
        """Nothing to end."""


def test_what_lacks_its_speed_is_judged_again_with_an_accelerator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ours(Judges):
        """Counted for this test alone."""

    monkeypatch.setattr(engine, "Judges", Ours)

    def judged() -> bool:
        made = engine.Engine(COURSE, str(tmp_path / "store"), 1, trust=False)
        results = {made.result(replace(WORK, id=name)).complete for name in ("alice", "bob")}
        made.close()
        return results == {True}

    assert (judged(), Ours.asked) == (False, 1)
    assert (judged(), Ours.asked) == (False, 1)
    monkeypatch.setattr(Ours, "accelerated", True)
    assert (judged(), Ours.asked) == (True, 2)
    assert (judged(), Ours.asked) == (True, 2)
