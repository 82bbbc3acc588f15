"""The run itself: what is judged, how often, and what a kill leaves behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from grader.batch.local import Run
from grader.batch.store import Store
from grader.intake import Candidate, find
from grader.machinery import MachineryError
from grader.record import Chain, CheckResult, StageResult, Status, SubmissionResult
from grader.submission import Submission
from harness.batch import toy
from harness.batch.long_run import MODULES
from harness.cli import ROOT

PROGRAM = Path(__file__).with_name("long_run.py")
COUNT = 200


def start(*args: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, str(PROGRAM), *map(str, args)]
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)


def wait_for_lines(program: subprocess.Popen[str], journal: Path, count: int) -> None:
    while not journal.exists() or len(journal.read_text().splitlines()) < count:
        assert program.poll() is None, "it ended before it could be killed"
        time.sleep(0.002)


def test_a_run_that_is_killed_three_times_goes_on(tmp_path: Path) -> None:
    answers = {f"s{n:03}": toy.RIGHT | {"half": f"half = {n // 2}\n"} for n in range(COUNT)}
    class_ = toy.hand_in(tmp_path / "class", answers)
    undisturbed, _ = start(class_, tmp_path / "a.sqlite", tmp_path / "a.txt").communicate()

    dice = random.Random(4)  # noqa: S311 - not for secrets
    journal, store = tmp_path / "b.txt", tmp_path / "b.sqlite"
    for part in sorted(dice.sample(range(1, COUNT // 2 - 10), 3)):
        program = start(class_, store, journal)
        wait_for_lines(program, journal, part)
        time.sleep(dice.uniform(0, 0.02))
        program.send_signal(signal.SIGKILL)
        assert program.wait() == -signal.SIGKILL
        program.communicate()
    disturbed, _ = start(class_, store, journal).communicate()

    assert disturbed == undisturbed
    assert len(undisturbed.splitlines()) == COUNT
    judged = Counter(journal.read_text().splitlines())
    assert len(judged) == COUNT // 2, "equal work is judged once"
    # What a kill interrupted is judged again, and what was not stored yet: two a job and one more.
    assert judged.total() - len(judged) <= 3 * (2 * 2 + 1)
    assert Counter((tmp_path / "a.txt").read_text().splitlines()).total() == COUNT // 2


class Scripted:
    """Judges that do as they are told."""

    room = 4

    def __init__(self, failing: frozenset[str] = frozenset(), accelerated: bool = False) -> None:
        self.failing = failing
        self.accelerated = accelerated
        self.judged: list[str] = []
        self._pool = ThreadPoolExecutor(2)

    def submit(self, submission: Submission) -> Future[SubmissionResult]:
        return self._pool.submit(self.judge, submission)

    def judge(self, submission: Submission) -> SubmissionResult:
        assert (submission.id, submission.path) != ("", ""), "it may be named in a message"
        self.judged.append(submission.id)
        if submission.id in self.failing:
            raise MachineryError("no room")
        return SubmissionResult("", "", submission.digest, 0.0, (), Chain(Status.PASSED))

    def close(self) -> None:
        self.judged.append("closed")


def run_over(folder: Path, store: Store, judges: Scripted, seed: str) -> tuple[Run, list[str]]:
    told: list[str] = []
    with ExitStack() as stack:
        candidates: list[Candidate] = find([folder], MODULES, stack)
        run = Run(
            store,
            judges,
            MODULES,
            "suite",
            seed,
            lambda entry, _, known: told.append(f"{entry.id} known" if known else entry.id),
        )
        run.over(candidates)
    return run, told


def test_equal_work_is_judged_once_and_everybody_gets_the_result(tmp_path: Path) -> None:
    answers = {"alice": toy.RIGHT, "bob": toy.RIGHT, "carol": toy.ANSWERS["wrong"]}
    judges = Scripted()
    with Store(str(tmp_path / "store")) as store:
        run, told = run_over(toy.hand_in(tmp_path / "class", answers), store, judges, "seed")
        assert sorted(judges.judged) == ["alice", "carol"]
        assert sorted(told) == ["alice", "bob", "carol"]
        results = list(run.results())
    assert [result.id for result in results] == ["alice", "bob", "carol"]
    assert {Path(result.path).name for result in results} == {"alice", "bob", "carol"}
    assert results[0].digest == results[1].digest != results[2].digest


def test_what_is_stored_is_not_judged_again_except_in_another_epoch(tmp_path: Path) -> None:
    class_ = toy.hand_in(tmp_path / "class", {"alice": toy.RIGHT, "bob": toy.ANSWERS["wrong"]})
    judges = Scripted()
    with Store(str(tmp_path / "store")) as store:
        run_over(class_, store, judges, store.seed())
        assert run_over(class_, store, judges, store.seed())[1] == ["alice known", "bob known"]
        toy.hand_in(class_, {"bob": toy.ANSWERS["other"]})
        assert run_over(class_, store, judges, store.seed())[1] == ["alice known", "bob"]
        assert len(judges.judged) == 3
        assert sorted(run_over(class_, store, judges, store.renew())[1]) == ["alice", "bob"]


class Timing(Scripted):
    """Judges that time, where they have an accelerator and it is steady."""

    steady = True

    def judge(self, submission: Submission) -> SubmissionResult:
        found = super().judge(submission)
        status = Status.PASSED if self.accelerated and self.steady else Status.NOT_JUDGED
        check = CheckResult("double.speed", "Speed", True, status, 0.0, 4.0)
        return replace(found, stages=(StageResult("double", Status.PASSED, 4.0, (check,)),))


def test_what_lacks_its_speed_is_judged_again_where_it_can_be(tmp_path: Path) -> None:
    class_ = toy.hand_in(tmp_path / "class", {"alice": toy.RIGHT})
    with Store(str(tmp_path / "store")) as store:

        def judged(accelerated: bool) -> tuple[list[str], bool]:
            run, told = run_over(class_, store, Timing(accelerated=accelerated), "seed")
            [result] = run.results()
            return told, result.complete

        assert judged(accelerated=False) == (["alice"], False)
        assert judged(accelerated=False) == (["alice known"], False)
        assert judged(accelerated=True) == (["alice"], True)
        assert judged(accelerated=True) == (["alice known"], True)
        assert judged(accelerated=False) == (["alice known"], True)


def test_what_cannot_be_timed_is_tried_once_a_run(tmp_path: Path) -> None:
    class_ = toy.hand_in(tmp_path / "class", {f"s{n}": toy.RIGHT for n in range(20)})
    judges = Timing(accelerated=True)
    judges.steady = False
    with Store(str(tmp_path / "store")) as store:
        run_over(class_, store, judges, "seed")
        assert len(judges.judged) == 1
        run_over(class_, store, judges, "seed")
        assert len(judges.judged) == 2


def test_a_failure_of_the_machinery_is_no_verdict(tmp_path: Path) -> None:
    class_ = toy.hand_in(tmp_path / "class", {"alice": toy.RIGHT, "bob": toy.ANSWERS["wrong"]})
    with Store(str(tmp_path / "store")) as store:
        run, _ = run_over(class_, store, Scripted(frozenset({"bob"})), "seed")
        assert run.failed == {"bob": "no room"}
        assert [result.id for result in run.results()] == ["alice"]
        again, told = run_over(class_, store, Scripted(), "seed")
        assert told == ["alice known", "bob"]
        assert not again.failed


def test_what_goes_wrong_on_our_side_ends_the_run_and_its_judges(tmp_path: Path) -> None:
    class_ = toy.hand_in(tmp_path / "class", {"alice": toy.RIGHT})
    judges = Defect()
    with Store(str(tmp_path / "store")) as store, pytest.raises(KeyError):
        run_over(class_, store, judges, "seed")
    assert judges.judged == ["closed"]


class Defect(Scripted):
    """Judges with a mistake in their own code."""

    def judge(self, submission: Submission) -> SubmissionResult:
        raise KeyError(submission.id)
