"""What a learner sees of `watch`, event by event, with nothing running behind it."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader import course as courses
from grader import stubs
from grader.course import Course, CourseError
from grader.progress import Progress
from grader.record import (
    Chain,
    CheckResult,
    Diagnosis,
    StageResult,
    Status,
    SubmissionResult,
)
from grader.watch.judges import Done, Ended, Judged, Trouble
from grader.watch.session import Session
from harness.cli import ROOT

LONG = "\n".join(f"    line {n}" for n in range(60))


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """The course with fresh stubs."""
    for name in ("course.toml", "docs/stages"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    (tmp_path / "exercises").mkdir()
    for name in courses.load(ROOT).names:
        text = stubs.pristine(courses.load(ROOT), name)
        (tmp_path / "exercises" / f"{name}.py").write_text(text)
    return courses.load(tmp_path)


class Desk:
    """A session, what it asked for, and what it shows."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.asked: list[Sequence[str]] = []
        self.session = Session(course, course.root / "exercises", course.stages, self._ask)

    def _ask(self, stages: Sequence[str]) -> int:
        self.asked.append(stages)
        return len(self.asked)

    def save(self, stage: str, text: str) -> None:
        (self.course.root / "exercises" / f"{stage}.py").write_text(text)
        self.session.saved([stage])

    def judged(self, stage: str, status: Status, message: str = "", sentence: str = "") -> None:
        points = self.course.stage(stage).points
        gained = points if status is Status.PASSED else 0
        check = CheckResult(f"{stage}.x", "A check", False, status, gained, points, message)
        named = (Diagnosis(f"{stage}/x", sentence, "exact"),) if sentence else ()
        result = StageResult(stage, status, points, (check,), named)
        self.session.hear(Judged(len(self.asked), result))

    def screen(self) -> str:
        lines = self.session.frame().lines(80, 24)
        assert len(lines) == 24
        assert max(line.cell_len for line in lines) <= 80
        return "\n".join(line.plain for line in lines)


WORK = "def f():\n    return 1\n"


def test_nothing_done_yet_runs_nothing_and_says_where_to_begin(course: Course) -> None:
    desk = Desk(course)
    assert desk.asked == []
    assert "projection: not started" in desk.screen()
    assert "Open exercises/projection.py" in desk.screen()
    assert "0 of 7 stages passed" in desk.screen()


def test_a_save_says_at_once_that_it_is_being_checked(course: Course) -> None:
    desk = Desk(course)
    desk.save("softmax", WORK)
    assert desk.asked == [("softmax",)]
    assert "checking softmax …" in desk.screen()
    desk.judged("softmax", Status.FAILED, "2 of 3 numbers differ", "Over the wrong axis.")
    screen = desk.screen()
    assert "softmax: failed, 0 of 20 points." in screen
    assert "Over the wrong axis." in screen
    assert "checking" not in screen


def test_a_syntax_error_is_told_without_running_anything(course: Course) -> None:
    desk = Desk(course)
    desk.save("softmax", "def f(:")
    assert desk.asked == []
    assert "SyntaxError" in desk.screen()


def test_a_long_message_is_cut_to_the_screen_and_the_keys_stay(course: Course) -> None:
    desk = Desk(course)
    desk.save("softmax", WORK)
    desk.judged("softmax", Status.FAILED, LONG)
    screen = desk.screen()
    assert "lines more in a taller window" in screen
    assert screen.endswith("q quit")
    assert "r run again" in screen


def test_what_came_of_an_older_save_is_not_shown(course: Course) -> None:
    desk = Desk(course)
    desk.save("softmax", WORK)
    desk.save("softmax", WORK + "\n")
    old = StageResult("softmax", Status.PASSED, 20)
    desk.session.hear(Judged(1, old))
    assert desk.session.judging
    assert "passed, " not in desk.screen()


def test_a_process_that_ended_without_a_verdict_is_the_stages_fault(course: Course) -> None:
    desk = Desk(course)
    desk.save("softmax", WORK)
    desk.session.hear(Ended(1, -11))
    assert "softmax.py ended the process that ran it (signal SIGSEGV)" in desk.screen()
    assert not desk.session.judging


def test_the_keys(course: Course) -> None:
    desk = Desk(course)
    desk.save("projection", WORK)
    desk.judged("projection", Status.PASSED)
    assert "n goes on with scores" in desk.screen()
    assert desk.session.press("n")
    assert "scores: not started" in desk.screen()
    desk.session.press("h")
    assert "Hint 1" in desk.screen()
    desk.session.press("h")
    assert "Hint 2" in desk.screen()
    desk.save("scores", WORK)
    desk.session.press("r")
    assert list(desk.asked[-1]) == ["scores"]
    desk.session.press("a")
    assert list(desk.asked[-1]) == ["projection", "scores"]
    assert "Attention scores" in desk.screen()
    assert desk.session.press("x")
    assert not desk.session.press("q")


def test_progress_is_kept(course: Course) -> None:
    desk = Desk(course)
    desk.save("projection", WORK)
    desk.judged("projection", Status.PASSED)
    assert Progress.load(course).passed == ["projection"]
    assert "1 of 7 stages passed, scores is next" in Progress.load(course).greeting(course)
    desk.save("projection", "def f(:")
    assert Progress.load(course).passed == []


def test_when_all_is_done_the_page_is_named(course: Course) -> None:
    desk = Desk(course)
    for name in course.names:
        desk.save(name, WORK)
        desk.judged(name, Status.PASSED)
    desk.session.press("a")
    for name in course.names:
        desk.judged(name, Status.PASSED)
    whole = SubmissionResult("x", "x", "", 0.0, (), Chain(Status.PASSED))
    desk.session.hear(Done(len(desk.asked), whole, "finished.html"))
    assert "7 of 7 stages passed" in desk.screen()
    assert "finished.html" in desk.screen()


def test_a_broken_suite_ends_it_with_its_sentence(course: Course) -> None:
    with pytest.raises(CourseError, match="cannot be read"):
        Desk(course).session.hear(Trouble("A suite cannot be read"))
