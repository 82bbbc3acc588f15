"""The command, as an instructor runs it, on a class in which everything goes wrong that can."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer

from grader import check, record
from grader import course as courses
from grader.commands import instructor
from grader.record import SubmissionResult
from grader.submission import read_folder
from harness.batch import toy
from harness.cli import ROOT, grader

TOLD = {
    "wrong": "numbers differ",
    "loops": "No answer within 2 s",
    "leaves": "ended its own process",
    "crashes": "segmentation fault",
    "hoards": "more memory than the 256 MiB",
    "kills": "it was ended by SIGKILL|starts no other programs|process ended|in half",
    "skips": "pytest|not today|no",
    "typo": "SyntaxError",
}
"""What the author of each is told about the one stage that it costs."""
FINE = {"right", "other", "floods"}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A graded class: its folder, and what the command printed."""
    place = tmp_path_factory.mktemp("graded")
    toy.course(place)
    toy.hand_in(place / "class", toy.ANSWERS | {"Zoë 李": toy.RIGHT, "=1+1": toy.RIGHT})
    (place / "class/broken.zip").write_bytes(b"PK")
    (place / "class/link").symlink_to("/etc")
    done = grader(
        "grade", "class", "--out", "out", "--json", "again.json", "--jobs", "1", cwd=place
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return place, done.stdout


def results(place: Path) -> dict[str, SubmissionResult]:
    return {result.id: result for result in record.read(place / "out/record.json").submissions}


def test_one_submission_costs_its_own_stage_only(graded: tuple[Path, str]) -> None:
    for id_, result in results(graded[0]).items():
        if id_ in FINE:
            assert result.points == 12, (id_, result)
        elif id_ in toy.ANSWERS:
            assert [stage.points == 6 for stage in result.stages] == [True, False], result


@pytest.mark.parametrize("id_", TOLD)
def test_the_author_is_told_why(graded: tuple[Path, str], id_: str) -> None:
    half = results(graded[0])[id_].stages[1]
    failure = half.first_failure()
    message = half.message or (failure.message if failure else "")
    assert any(part in message for part in TOLD[id_].split("|")), message
    assert str(graded[0]) not in message


def test_files_that_cannot_be_read_are_told(graded: tuple[Path, str]) -> None:
    for id_, told in (("broken", "no zip that can be read"), ("link", "It is a link")):
        result = results(graded[0])[id_]
        assert {stage.status for stage in result.stages} == {record.Status.ERROR}
        assert all(told in stage.message for stage in result.stages)


def test_reports(graded: tuple[Path, str]) -> None:
    place, printed = graded
    out = place / "out"
    count = len(toy.ANSWERS) + 4
    assert len(list((out / "students").iterdir())) == count
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert rows["right"]["points"] == "12"
    assert rows["wrong"]["half_status"] == "failed"
    assert "'=1+1" in rows
    assert f"{count} submissions" in (out / "class.html").read_text()
    whole = json.loads((out / "record.json").read_text())
    assert whole == json.loads((place / "again.json").read_text())
    assert whole["isolation"]["level"] >= 1
    for id_ in results(place):
        assert id_ in printed
    assert "wrong                        8 of 12  half failed" in printed
    assert "\x1b" not in printed


def test_hidden_checks_stay_hidden_from_students(graded: tuple[Path, str]) -> None:
    page = (graded[0] / "out/students/wrong.html").read_text()
    assert "Half of it, hidden" in page
    seed = record.read(graded[0] / "out/record.json").seed
    assert seed not in page
    assert page.count("numbers differ") == 1, "the public check's message, and no other"


def test_what_is_given_to_students_names_no_folder_of_the_instructor(
    graded: tuple[Path, str],
) -> None:
    for page in (graded[0] / "out/students").iterdir():
        assert str(graded[0]) not in page.read_text(), page


def test_a_confined_verdict_is_that_of_a_check(graded: tuple[Path, str]) -> None:
    """Where a check can survive the submission at all."""
    place, _ = graded
    course = courses.load(place)
    for id_ in ("right", "other", "wrong", "typo", "half done", "floods"):
        submission = read_folder(place / "class" / id_, course.names)
        [checked] = check.check(course, submission, course.stages, lambda _: None).submissions
        assert statuses(checked) == statuses(results(place)[id_]), id_


def statuses(result: SubmissionResult) -> list[Any]:
    return [
        (stage.stage, stage.status, [(check.id, check.status) for check in stage.checks])
        for stage in result.stages
    ]


def test_an_interrupt_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    toy.course(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grader.batch.command.grade", interrupted)
    with pytest.raises(typer.Exit) as ended:
        instructor.grade([tmp_path / "class"], tmp_path / "out")
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err.strip() == "Stopped. Run the same command to go on."


@pytest.mark.exhaustive
def test_an_interrupted_run_says_how_to_go_on_and_does(tmp_path: Path) -> None:
    toy.course(tmp_path)
    answers = {f"s{n}": toy.RIGHT | {"double": f"def double(x): return x + {n}\n"} for n in "12"}
    answers |= {f"t{n}": toy.RIGHT | {"half": f"{toy.LOOP}#{n}\n"} for n in range(9)}
    toy.hand_in(tmp_path / "class", answers)
    command = ["grade", "class", "--out", "out", "--jobs", "1"]
    run = subprocess.Popen(
        [sys.executable, "-m", "grader", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    assert run.stdout is not None
    while "s2" not in (line := run.stdout.readline()):
        assert line, "it ended before it could be interrupted"
    time.sleep(0.2)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    _, complaints = run.communicate(timeout=240)
    assert (run.returncode, complaints.strip()) == (130, "Stopped. Run the same command to go on.")

    for student in [name for name in answers if name.startswith("t")]:
        for file in (tmp_path / "class" / student).iterdir():
            file.unlink()
    again = grader(*command, cwd=tmp_path)
    assert again.returncode == 0
    assert "2 submissions had been judged before." in again.stdout
    assert len(results(tmp_path)) == len(answers)


def heed_interrupts() -> None:
    """As in a terminal; a shell that starts the tests in the background has them ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["nowhere"], "nowhere is not there"),
        (["class", "--stage", "haf"], "Did you mean 'half'?"),
        (["class", "--store", "oracle://x"], "store"),
        (["class", "--jobs", "-1"], "--jobs"),
        ([], "Missing argument"),
    ],
)
def test_calls_that_are_wrong(tmp_path: Path, args: list[str], told: str) -> None:
    toy.course(tmp_path)
    toy.hand_in(tmp_path / "class", {"right": toy.RIGHT})
    done = grader("grade", *args, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
