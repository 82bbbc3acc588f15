"""A bank that was run is kept, and counts only as long as nothing that makes it has changed."""

import shutil
from pathlib import Path

import pytest

from grader import course as courses
from grader.course import Course, Stage
from grader.diagnosis import bank, shelf
from grader.diagnosis.bank import StageBank
from harness import exhaustive
from harness.diagnosis.telling import ROOT

RUNS: list[str] = []


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course of its own, whose banks are counted when they are run."""
    for name in ("solutions", "tests/stages", "tests/mistakes"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.toml", tmp_path)

    def counted(course: Course, stage: Stage) -> StageBank:
        RUNS.append(stage.name)
        return bank.load_bank(course, stage)

    monkeypatch.setattr(shelf, "load_bank", counted)
    RUNS.clear()
    return courses.load(tmp_path)


def test_the_second_time_it_is_read(course: Course) -> None:
    stage = course.stage("scores")
    first, second = (shelf.known(course, stage) for _ in range(2))
    assert RUNS == ["scores"]
    assert second.lessons == first.lessons
    assert [known.id for known in second.known] == [known.id for known in first.known]


@pytest.mark.parametrize(
    "changed",
    exhaustive.sampled(
        ["tests/mistakes/scores.py", "solutions/scores.py", "tests/stages/probes/scores.py"], 3
    ),
)
def test_a_change_runs_it_again(course: Course, changed: str) -> None:
    stage = course.stage("scores")
    shelf.known(course, stage)
    with (course.root / changed).open("a", encoding="utf-8") as file:
        file.write("\n# another line\n")
    shelf.known(course, stage)
    assert RUNS == ["scores", "scores"]


@pytest.mark.parametrize("damaged", exhaustive.sampled(["json", "safetensors", "key"], 3))
def test_what_is_damaged_is_run_again(course: Course, damaged: str) -> None:
    stage = course.stage("scores")
    shelf.known(course, stage)
    (course.root / shelf.FOLDER / f"scores.{damaged}").write_bytes(b"{")
    assert shelf.known(course, stage).known
    assert RUNS == ["scores", "scores"]


def test_a_folder_that_cannot_be_written_is_no_error(course: Course) -> None:
    (course.root / shelf.FOLDER).write_text("in the way", encoding="utf-8")
    assert shelf.known(course, course.stage("scores")).known
