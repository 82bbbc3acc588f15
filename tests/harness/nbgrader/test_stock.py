"""The same notebook under nbgrader's own kernel: the public verdict, in every way of running."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest

from harness.nbgrader.graded import Graded, gradebook, nbgrader
from harness.nbgrader.handing_in import COURSE, NAME, ROOT, Json, cell, own, solution
from harness.tracer import untrace

ANSWERS = {
    "scores": solution("scores"),
    "softmax": "def row_softmax(scores):\n    return scores\n",
    "mixing": "def mix_values(weights, v):\n    return helped(weights)\n\n\ncheck('mixing')\n",
}
"""Right, wrong, and stopped by an error in a cell of the student's own."""
HELPER = "# My helpers\n\n\ndef helped(x):\n    return x.no_such_thing\n"
PLACE = 'Your cell that begins "# My helpers", line 5, in helped:'


@pytest.fixture
def notebook(graded: Graded, monkeypatch: pytest.MonkeyPatch) -> Json:
    """The notebook as it was handed out."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    untrace(monkeypatch)
    file = graded.folder / "release" / COURSE.name / NAME
    made: Json = json.loads(file.read_text(encoding="utf-8"))
    return made


def answered(notebook: Json) -> Json:
    for stage, text in ANSWERS.items():
        cell(notebook, stage)["source"] = text
    notebook["cells"].insert(2, {**own(HELPER), "id": "helpers"})
    return notebook


UNANSWERED = len(COURSE.names) + len(COURSE.questions)
"""The cells of which `validate` says that they fail as long as nobody has written into them."""


def validated(notebook: Json, folder: Path) -> str:
    """What `nbgrader validate` prints."""
    (folder / NAME).write_text(json.dumps(notebook), encoding="utf-8")
    return " ".join(nbgrader(folder, "validate", NAME).split())


@pytest.mark.exhaustive  # the next one has a stage that nobody wrote, too
def test_validate_says_of_an_untouched_notebook_that_nothing_is_written(
    notebook: Json, tmp_path: Path
) -> None:
    said = validated(notebook, tmp_path)
    assert f"VALIDATION FAILED ON {UNANSWERED} CELL(S)" in said
    for stage in COURSE.stages:
        assert f'check("{stage.name}") The error was: {stage.title}: not started' in said


def test_validate_gives_the_public_verdict(notebook: Json, tmp_path: Path) -> None:
    said = validated(answered(notebook), tmp_path)
    assert f"VALIDATION FAILED ON {UNANSWERED - 1} CELL(S)" in said
    assert 'check("projection") The error was: ' in said
    assert "not started" in said
    assert 'check("scores")' not in said
    assert "The error was: Row softmax: failed" in said
    assert "Partial credit" not in said
    assert PLACE in said


def test_stock_autograde_gives_the_public_points(
    graded: Graded, notebook: Json, tmp_path: Path
) -> None:
    for name in ("source", "release"):
        shutil.copytree(graded.folder / name, tmp_path / name)
    place = tmp_path / "submitted" / "anna" / COURSE.name
    place.mkdir(parents=True)
    (place / NAME).write_text(json.dumps(answered(notebook)), encoding="utf-8")
    shutil.copy(graded.folder / "gradebook.db", tmp_path)
    nbgrader(tmp_path, "autograde", COURSE.name, f"--course={COURSE.name}")
    with gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as book:
        [sheet] = book.find_submission(COURSE.name, "anna").notebooks
        scores = {grade.name: grade.auto_score for grade in sheet.grades}
    points = {stage.name: stage.points for stage in COURSE.stages}
    assert scores["check-scores"] == points["scores"]
    assert 0 < scores["check-softmax"] < points["softmax"]
    assert scores["check-mixing"] == scores["check-scaling"] == 0
    made = nbformat.read(tmp_path / "autograded" / "anna" / COURSE.name / NAME, as_version=4)
    cells = {c.metadata.get("nbgrader", {}).get("grade_id"): c for c in made.cells}
    assert "Row softmax: failed" in str(cells["check-softmax"].outputs)
    assert PLACE in str(cells["check-mixing"].outputs)
    assert not any(output.get("name") == "stderr" for output in cells["check-scores"].outputs)
