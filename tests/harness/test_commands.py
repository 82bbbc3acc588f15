"""The commands as a person runs them: exit codes, sentences, files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from grader import course as courses
from grader.commands.shared import command_for
from grader.record import SCHEMA_FILE, read
from harness.cli import ROOT, grader
from harness.tracer import untraced

NAMES = courses.load(ROOT).names


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A folder of untouched stubs, whatever exercises/ holds at the moment."""
    from grader import stubs

    folder = tmp_path / "work"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(stubs.pristine(courses.load(ROOT), name))
    return folder


def test_untouched_stubs_are_not_started_and_exit_with_1(stubs: Path) -> None:
    done = grader("check", stubs)
    assert done.returncode == 1
    assert done.stdout.count("not started") == 7
    assert "0 of 7 stages passed" in done.stdout
    assert done.stderr == ""


def test_the_solutions_get_everything_that_can_be_judged_here(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    done = grader("check", "solutions", "--json", file)
    assert done.returncode == 0, done.stdout
    jsonschema.validate(json.loads(file.read_text()), json.loads(SCHEMA_FILE.read_text()))
    result = read(file).submissions[0]
    assert result.points == result.max_judged > 80
    assert result.chain.status == "passed"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("check", "nowhere"), "nowhere is not there"),
        (("check", "solutions", "sofmax"), "Did you mean 'softmax'"),
        (("check", "README.md"), "a file, not a folder"),
        (("hint", "sofmax"), "Did you mean 'softmax'"),
        (("reset", "sofmax"), "Did you mean 'softmax'"),
        (("check",), "Missing argument"),
        (("chekc", "solutions"), "No such command"),
    ],
)
def test_a_wrong_call_exits_with_2_and_says_why(args: tuple[str, ...], said: str) -> None:
    done = grader(*args)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_outside_a_course_the_sentence_says_where_to_go(tmp_path: Path) -> None:
    done = grader("check", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "Run the command in the folder of the course" in done.stderr


def test_a_broken_course_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("name = ")
    done = grader("check", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "course.toml is not readable as TOML" in done.stderr


def test_only_what_judges_loads_pytorch() -> None:
    """A second of everybody's time, and hundreds of MiB."""
    modules = ("batch.command", "nbgrader.commands", "nbgrader.preprocessors", "watch.loop")
    program = (
        f"import sys, {', '.join(f'grader.{m}' for m in modules)}; print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=untraced(), capture_output=True, text=True
    )
    assert done.stdout == "False\n", done.stderr


def test_hints_come_one_at_a_time_and_the_last_one_stays(tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.toml", tmp_path)
    shutil.copytree(ROOT / "docs" / "stages", tmp_path / "docs" / "stages")
    shown = [grader("hint", "softmax", cwd=tmp_path).stdout for _ in range(4)]
    assert [f"Hint {n}" in text for n, text in zip((1, 2, 3, 3), shown, strict=True)] == [True] * 4
    assert "That was the last one" in shown[3]


def test_a_damaged_progress_file_is_a_fresh_start(tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.toml", tmp_path)
    shutil.copytree(ROOT / "docs" / "stages", tmp_path / "docs" / "stages")
    (tmp_path / ".progress.json").write_text("[1")
    assert "Hint 1" in grader("hint", "softmax", cwd=tmp_path).stdout


def test_a_stage_without_hints_is_told(tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.toml", tmp_path)
    done = grader("hint", "softmax", cwd=tmp_path)
    assert done.returncode == 2
    assert "has no hints" in done.stderr


def test_reset_and_stubs_keep_what_was_written(tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.toml", tmp_path)
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")
    assert grader("stubs", "--check", cwd=tmp_path).returncode == 1
    assert grader("stubs", cwd=tmp_path).returncode == 0
    assert grader("stubs", "--check", cwd=tmp_path).returncode == 0
    mine = tmp_path / "exercises" / "softmax.py"
    mine.write_text("my work")
    done = grader("reset", "softmax", cwd=tmp_path)
    assert "kept in exercises/softmax.py.kept-1" in done.stdout
    assert (tmp_path / "exercises" / "softmax.py.kept-1").read_text() == "my work"


def test_a_fault_of_the_grader_is_one_sentence_and_exit_4(tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.toml", tmp_path)
    shutil.copytree(ROOT / "docs" / "stages", tmp_path / "docs" / "stages")
    (tmp_path / "docs" / "stages" / "softmax.md").write_bytes(b"\xff")
    done = grader("hint", "softmax", cwd=tmp_path, TMPDIR=str(tmp_path))
    assert done.returncode == 4
    assert "The grader itself failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert "UnicodeDecodeError" in next(tmp_path.glob("grader-error-*")).read_text()


def test_reports_are_written_where_they_are_asked_for(stubs: Path, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    grader("check", stubs, "--junit", file)
    assert "<testsuites" in file.read_text()


def test_in_actions_the_failures_become_annotations(stubs: Path) -> None:
    (stubs / "softmax.py").write_text("def f(:")
    assert "::error" in grader("check", stubs, GITHUB_ACTIONS="true").stdout


@pytest.mark.skipif(os.name == "nt", reason="the quotes of Windows are others")
@pytest.mark.parametrize(
    ("folder", "shown"),
    [("work", "work"), ("mes exercices", "'mes exercices'"), ("exercises", "")],
)
def test_the_next_command_can_be_pasted(folder: str, shown: str) -> None:
    command = command_for(Path(folder))("check", "softmax")
    nox = "nox -s check -- softmax"
    assert command == (f"python -m grader check {shown} softmax" if shown else nox)
