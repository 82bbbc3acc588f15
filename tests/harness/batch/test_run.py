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
from pathlib import Path

import pytest

from grader.batch.local import Run
from grader.batch.store import Store
from grader.intake import Candidate, find
from grader.machinery import MachineryError
from grader.record import Chain, Status, SubmissionResult
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

    def __init__(self, failing: frozenset[str] = frozenset()) -> None:
        self.failing = failing
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
