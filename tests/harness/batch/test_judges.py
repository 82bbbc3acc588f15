"""Processes that judge: what fails on our side is tried again, and is never a verdict."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from grader.batch import judging
from grader.batch.judges import TRIES, Judges, JudgingProcess
from grader.batch.talk import Orders, Part
from grader.course import CourseError
from grader.machinery import MachineryError
from grader.record import Isolation, SubmissionResult
from grader.submission import Submission
from harness import exhaustive
from harness.batch import toy
from harness.tracer import untrace

STAGES = ("double", "half")
SLOW = "import time\ndef half(x):\n    time.sleep(0.4)\n    return x / 2\n"


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Orders:
    """Orders for the toy course."""
    folder = tmp_path_factory.mktemp("course")
    toy.course(folder)
    return Orders(str(folder), STAGES, "a seed of the tests")


@pytest.fixture(scope="module")
def judges(orders: Orders) -> Iterator[Judges]:
    """One process that judges, and is replaced when it is gone."""
    with pytest.MonkeyPatch.context() as patched:
        untrace(patched)  # tests of `grade` measure what runs in it
        with Judges(orders, 1) as running:
            yield running


def submission(**texts: str) -> Submission:
    return Submission("alice", "/class/alice", toy.RIGHT | texts)


def timeless(result: SubmissionResult) -> SubmissionResult:
    return replace(result, seconds=0)


def below(pid: int) -> list[int]:
    """All processes that a process has started, and theirs."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return []
    return [found for child in children for found in (int(child), *below(int(child)))]


def test_a_result_depends_on_nothing_but_the_work(judges: Judges) -> None:
    first = judges.judge(submission())
    judges.judge(submission(half="import torch\ntorch.manual_seed(7)\ndef half(x): return x / 3\n"))
    again = judges.judge(replace(submission(), id="bob", path="elsewhere"))
    assert timeless(first) == timeless(again)
    assert (first.id, first.path, first.points) == ("", "", 12)


def runs(pid: int) -> bool:
    """Whether a process is there, and not only its exit code, for which nobody has asked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize(
    "victim", ["the process that judges", exhaustive.full("what runs the submissions")]
)
def test_a_process_that_is_killed_under_way_costs_nobody_anything(
    judges: Judges, victim: str
) -> None:
    expected = timeless(judges.judge(submission(half=SLOW)))
    assert expected.points == 12
    [process] = judges._running
    tree = [process.pid, *below(process.pid)]
    pid = tree[0] if victim == "the process that judges" else tree[1]
    killer = threading.Thread(target=kill_once_it_works, args=(process.pid, len(tree), pid))
    killer.start()
    try:
        assert timeless(judges.judge(submission(half=SLOW))) == expected
    finally:
        killer.join()
    assert not runs(pid)


def kill_once_it_works(process: int, idle: int, pid: int) -> None:
    """Kill a process of a judge's as soon as a submission's own is there, too."""
    deadline = time.monotonic() + 100
    while len(below(process)) < idle and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)


def test_nothing_is_left_running(judges: Judges) -> None:
    """The last test with these judges."""
    [process] = judges._running
    tree = [process.pid, *below(process.pid)]
    assert len(tree) >= 2
    judges.close()
    deadline = time.monotonic() + 10
    while any(runs(pid) for pid in tree):
        assert time.monotonic() < deadline, "a process is left"
        time.sleep(0.01)


class Failing(JudgingProcess):
    """A process that starts and then fails."""

    started = 0

    def __init__(self, orders: Orders) -> None:
        type(self).started += 1
        self.isolation = Isolation(orders.level or 0, (), ())

    def judge(self, submission: Submission, part: Part = Part.WHOLE) -> SubmissionResult:  # noqa: ARG002
        raise MachineryError("again")

    def kill(self) -> None:
        """Nothing runs."""

    close = kill


def test_what_fails_every_time_is_reported_as_a_failure_of_ours(
    orders: Orders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.batch.judges.JudgingProcess", Failing)
    with (
        Judges(replace(orders, level=1), 1) as judges,
        pytest.raises(MachineryError, match="again"),
    ):
        judges.judge(submission())
    assert Failing.started == TRIES


@pytest.fixture
def broken(orders: Orders, tmp_path: Path) -> Orders:
    """Orders for a course with a suite that cannot be read."""
    course = toy.course(tmp_path)
    name = "of_this_test_alone"  # suites of one name are loaded once in a process
    for file in course.root.rglob("half.py"):
        file.rename(file.with_stem(name))
    settings = course.root / "course.toml"
    settings.write_text(settings.read_text().replace('"half"', f'"{name}"'))
    (course.root / f"tests/stages/hidden/{name}.py").write_text("import nothing_of_this_name\n")
    return replace(orders, root=str(tmp_path), stages=("double", name))


class Scriptless:
    """Workers that nobody comes to ask."""

    def rehearse(self, scripts: object) -> None:
        """Nobody asks."""


def test_a_suite_that_cannot_be_read_is_refused(
    broken: Orders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "_workers", lambda _: nullcontext(Scriptless()))
    with pytest.raises(CourseError, match="A suite cannot be read"):
        judging._judge_all(broken, io.StringIO(), io.StringIO())


@pytest.mark.exhaustive
def test_a_course_that_cannot_be_judged_is_said_at_once(broken: Orders) -> None:
    with pytest.raises(CourseError, match="A suite cannot be read"):
        JudgingProcess(broken)
