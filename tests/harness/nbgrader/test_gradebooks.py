"""Marks in other people's tables and databases: exports, PostgreSQL, modules judged by `grade`."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

from grader.nbgrader.course_folder import environment
from harness.batch.databases import postgresql
from harness.cli import grader
from harness.nbgrader import cheats, intake
from harness.nbgrader.graded import TWICE, Graded, gradebook, students
from harness.nbgrader.handing_in import COURSE, ROOT, cell, released, source


def nbgrader(folder: Path, *arguments: str) -> str:
    """Run one of nbgrader's own commands in a course folder."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=folder,
        env={**environment(), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_table_has_the_points_of_every_stage(graded: Graded, tmp_path: Path) -> None:
    file = tmp_path / "canvas.csv"
    nbgrader(graded.folder, "export", "--StagePoints.layout=canvas", f"--to={file}")
    with file.open(newline="") as table:
        header, maxima, *rows = csv.reader(table)
    titles = [COURSE.stage(name).title for name in COURSE.names]
    assert [header.count(title) for title in titles] == [1] * len(titles)
    found = {row[3]: dict(zip(header, row, strict=True)) for row in rows}
    assert len(found) == len(graded.marks)
    softmax = COURSE.stage("softmax").title
    assert float(found[intake.RIGHT][softmax]) == COURSE.stage("softmax").points
    wrong, _ = graded.marks[cheats.PLAIN]["check-softmax"]
    assert float(found[cheats.PLAIN][softmax]) == wrong
    # What waits for a person is neither zero nor full.
    assert found[intake.ALL_RIGHT][COURSE.stage("gpu").title] == ""
    assert maxima[header.index(softmax)] == f"{COURSE.stage('softmax').points:g}"


def test_reports_for_other_platforms(graded: Graded, tmp_path: Path) -> None:
    exporter = "--exporter=grader.nbgrader.export.Reports"
    nbgrader(graded.folder, "export", exporter, "--Reports.form=gradescope", f"--to={tmp_path}")
    found = json.loads((tmp_path / f"{intake.RIGHT}.json").read_text())
    assert found["score"] == graded.total(intake.RIGHT)


def test_modules_beside_a_thin_notebook_on_postgresql(tmp_path: Path) -> None:
    url, folder = postgresql(), tmp_path / "gradebook"
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(_settings(folder, url))
    assert grader("assignment", folder, "--modules").returncode == 0
    release = folder / "release" / COURSE.name
    assert not any("BEGIN SOLUTION" in f.read_text() for f in release.iterdir())
    place = folder / "submitted" / "anna" / COURSE.name
    shutil.copytree(release, place)
    shutil.copy(ROOT / "solutions" / "scores.py", place)
    nbgrader(folder, "autograde", COURSE.name)
    judged = tmp_path / "record.json"
    modules = tmp_path / "modules" / "bert"
    modules.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / "scores.py", modules)
    assert grader("grade", modules, "--json", judged).returncode == 0
    assert grader("enter", judged, url).returncode == 0
    worth = COURSE.stage("scores").points
    with gradebook(url) as book:
        scores = {s.student.id: s.score for s in book.assignment_submissions(COURSE.name)}
    assert scores == {"anna": worth, "bert": worth}


def _settings(folder: Path, url: str) -> str:
    """What `assignment` would write, and another gradebook; it leaves settings that are there."""
    return f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from grader.nbgrader.config import configure
c = get_config()
configure(c, Path({str(folder)!r}), Path({str(ROOT)!r}))
c.CourseDirectory.db_url = {url!r}
"""


def test_modules_get_what_the_same_cells_get(graded: Graded, tmp_path: Path) -> None:
    """The same answers, as folders of modules, by `grade`."""
    for student in SAME:
        place = tmp_path / "modules" / student
        place.mkdir(parents=True)
        for stage, text in answers(student).items():
            siblings = [line for line in solved(stage) if line.startswith("from .")]
            (place / f"{stage}.py").write_text("\n".join([*siblings, text]))
    record = tmp_path / "record.json"
    done = grader("grade", tmp_path / "modules", "--json", record, cwd=graded.course)
    assert done.returncode == 0, done.stderr
    found = json.loads(record.read_text())["submissions"]
    assert {s["id"]: s["points"] for s in found} == {s: graded.total(s) for s in SAME}


SAME = (intake.ALL_RIGHT, intake.RIGHT, cheats.PLAIN, *intake.LOST)


def answers(student: str) -> dict[str, str]:
    """The texts of a student's cells."""
    made = students(Path("anywhere"))[student].notebook
    assert isinstance(made, dict)
    untouched = released()
    found = {stage: source(cell(made, stage)) for stage in COURSE.names}
    return {s: text for s, text in found.items() if text != source(cell(untouched, s))}


def solved(stage: str) -> list[str]:
    """The lines of a solution."""
    file = ROOT / "solutions" / f"{stage}.py"
    return file.read_text(encoding="utf-8").splitlines()


def test_a_second_attempt_counts_and_what_a_person_marked_stays(graded: Graded) -> None:
    url = f"sqlite:///{graded.folder / 'gradebook.db'}"
    question = COURSE.questions[0].name
    with gradebook(url) as book:
        grade = book.find_grade(question, COURSE.name, COURSE.name, TWICE)
        grade.manual_score = 1.5
        book.db.commit()
    place = graded.folder / "submitted" / TWICE / COURSE.name
    shutil.rmtree(place)
    intake.second_attempt().write(place)
    done = grader("autograde", graded.folder, "--student", TWICE, cwd=graded.course)
    assert done.returncode == 0, done.stderr
    with gradebook(url) as book:
        assert book.find_submission(COURSE.name, TWICE).score == graded.total(intake.RIGHT) + 1.5


def test_the_page_of_the_class(graded: Graded) -> None:
    done = grader("feedback", graded.folder, "--class", cwd=graded.course)
    assert done.returncode == 0, done.stderr
    page = (graded.folder / "class.html").read_text(encoding="utf-8")
    assert "softmax/columns" in page
    assert not any(f">{student}<" in page for student in graded.marks)
