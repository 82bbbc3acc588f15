"""What is made for the places where courses live, tried as far as it can be here."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml  # type: ignore[import-untyped]

from grader import course as courses
from grader.course import CourseError
from grader.release.bundle import Files
from grader.release.command import release
from grader.release.places import PLACES
from harness.cli import ROOT
from harness.release import only
from harness.release.leaks import found, secrets

COURSE = courses.load(ROOT)


@pytest.fixture
def bundled(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bundle that is there already, so that it is not made for every place anew."""
    monkeypatch.setattr("grader.release.places.bundle", lambda _: dict(files))


@pytest.fixture(scope="module")
def autograder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gradescope's folder with the zip unpacked, as it unpacks it."""
    base = tmp_path_factory.mktemp("autograder")
    (archive,) = release(COURSE, "gradescope", base)
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(base / "source")
        for entry in zipped.infolist():
            (base / "source" / entry.filename).chmod(entry.external_attr >> 16)
    needs = (base / "source" / "requirements.txt").read_text().splitlines()
    only.lacking(needs, base / "only")
    return base


def graded(base: Path, submission: Path | None) -> dict[str, Any]:
    """Run the autograder on a folder of modules as Gradescope does; its results."""
    shutil.rmtree(base / "submission", ignore_errors=True)
    if submission is None:
        (base / "submission").mkdir()
    else:
        shutil.copytree(submission, base / "submission")
    (base / "results" / "results.json").unlink(missing_ok=True)
    run_autograder(base, sys.executable)
    return results(base)


def run_autograder(base: Path, python: str) -> None:
    """Run the script with a Python that finds what requirements.txt asks for, and no more."""
    subprocess.run(
        [base / "source" / "run_autograder"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(base / "only")}
        | {"AUTOGRADER": str(base), "AUTOGRADER_PYTHON": python},
        cwd="/",
        timeout=240,
        check=False,
        capture_output=True,
    )


def results(base: Path) -> dict[str, Any]:
    """What Gradescope reads."""
    found: dict[str, Any] = json.loads((base / "results" / "results.json").read_text())
    return found


KNOWN = {
    "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format",
    "visibility", "stdout_visibility", "tests", "extra_data",
}  # fmt: skip
"""Of https://gradescope-autograders.readthedocs.io/en/latest/specs/; no leaderboard."""


def test_gradescope_gets_a_score_for_every_check(autograder: Path) -> None:
    found = graded(autograder, ROOT / "solutions")
    assert set(found) <= KNOWN
    assert found["score"] == found["extra_data"]["max_judged"] > 80, found["output"]
    assert {test["status"] for test in found["tests"] if "status" in test} == {"passed"}


def test_gradescope_gets_a_sentence_when_there_is_nothing_to_grade(autograder: Path) -> None:
    found = graded(autograder, None)
    assert found["score"] == 0
    assert found["output"]


def test_gradescope_gets_a_sentence_when_the_grader_cannot_even_start(autograder: Path) -> None:
    run_autograder(autograder, "/bin/false")
    found = results(autograder)
    assert set(found) <= KNOWN
    assert found["score"] == 0
    assert "nothing about your work" in found["output"]


def test_its_scripts_are_sound_and_are_run(autograder: Path) -> None:
    for name in ("setup.sh", "run_autograder"):
        script = autograder / "source" / name
        assert os.access(script, os.X_OK)
        assert b"\r" not in script.read_bytes()
        subprocess.run(["bash", "-n", script], check=True)
    needs = (autograder / "source" / "requirements.txt").read_text().split()
    assert any(need.startswith("safetensors") for need in needs)


@pytest.mark.usefixtures("bundled")
def test_classroom_judges_every_stage() -> None:
    made = PLACES["classroom"].files(COURSE)
    workflow = yaml.safe_load(made[".github/workflows/classroom.yml"])
    (job,) = workflow["jobs"].values()
    steps = {step["id"]: step["with"] for step in job["steps"] if "id" in step}
    assert list(steps) == list(COURSE.names)
    assert all(type(step["max-score"]) is int for step in steps.values())
    report = job["steps"][-1]
    assert report["with"]["runners"].split(",") == list(COURSE.names)
    assert len(report["env"]) == len(COURSE.names)


@pytest.mark.usefixtures("bundled")
def test_codespaces_opens_ready() -> None:
    made = PLACES["codespaces"].files(COURSE)
    container = json.loads(made[".devcontainer/devcontainer.json"])
    assert {"name", "image", "postCreateCommand"} <= set(container)
    assert "nox -s check" in container["postCreateCommand"]


@pytest.mark.usefixtures("bundled")
def test_colab_fetches_the_course_before_it_is_imported() -> None:
    made = PLACES["colab"].files(COURSE)
    book = nbformat.reads(made["exercises/self-attention.ipynb"].decode(), as_version=4)
    nbformat.validate(book)
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    assert "files.upload()" in code[0]
    assert "from grader.nbgrader import check" in code[1]


@pytest.mark.no_cover  # the other tests of places reach the same lines of the grader
@pytest.mark.usefixtures("bundled")
@pytest.mark.parametrize("place", ["classroom", "codespaces", "colab"])
def test_no_place_for_students_gets_an_answer(place: str, files: Files) -> None:
    made = PLACES[place].files(COURSE)
    assert made.items() & files.items()  # a test of the bundle looks through these
    own = {path: data for path, data in made.items() - files.items() if "tests/" not in path}
    assert own
    assert found(own, secrets()) == []


def test_an_unknown_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="Known: gradescope"):
        list(release(COURSE, "moodle", tmp_path))
