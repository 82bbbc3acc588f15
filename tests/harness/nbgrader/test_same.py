"""The same answers get the same marks, whichever way they come.

As notebooks, as modules beside a thin notebook in a gradebook on PostgreSQL, judged by `grade`, and
written into that gradebook by `enter`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

import pytest

from grader.commands import instructor
from grader.nbgrader.engine import STORE
from grader.nbgrader.notebook import CHECK
from harness import generated
from harness.batch.databases import postgresql
from harness.cli import grader
from harness.nbgrader.graded import GENERATED, Graded, generated_texts, gradebook
from harness.nbgrader.handing_in import COURSE, NAME, ROOT

Points = Mapping[str, Mapping[str, float]]
"""The points of every stage, by student."""


@pytest.fixture(scope="module")
def by_grade(graded: Graded, shared: Path) -> Path:
    """The folder of what `grade` made of the class, as modules; its store, too."""
    out = shared / "by_grade"
    generated.write(shared / "modules", generated_texts().items(), zips=False)
    command = ("grade", shared / "modules", "--out", out, "--jobs", "1")
    # Tests of `grade` itself measure what it reaches.
    done = grader(*command, cwd=graded.course, timeout=300, measured=False)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def expected(by_grade: Path) -> Points:
    """What `grade` gave."""
    record = json.loads((by_grade / "record.json").read_text(encoding="utf-8"))
    return {
        one["id"]: {stage["stage"]: round(stage["points"], 6) for stage in one["stages"]}
        for one in record["submissions"]
    }


def test_the_class_is_no_easy_one(expected: Points) -> None:
    totals = [sum(points.values()) for points in expected.values()]
    assert len(totals) == GENERATED
    assert len(set(totals)) > GENERATED / 4
    assert max(totals) > COURSE.points / 2


def test_every_notebook_gets_what_its_modules_get(graded: Graded, expected: Points) -> None:
    for student, points in expected.items():
        marks = graded.marks[student]
        assert {n: marks[CHECK + n][0] or 0 for n in COURSE.names} == points, student


def enter(graded: Graded, by_grade: Path, url: str) -> None:
    """Write the marks of `grade` into a gradebook."""
    with chdir(graded.course):
        instructor.enter(by_grade / "record.json", url)


def test_marks_that_are_entered_are_those_of_grade(
    graded: Graded, by_grade: Path, expected: Points, tmp_path: Path
) -> None:
    shutil.copy(graded.folder / "gradebook.db", tmp_path)
    url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    forget(url)
    enter(graded, by_grade, url)
    entered = in_gradebook(url)
    assert {student: entered[student] for student in expected} == expected


@pytest.mark.exhaustive
def test_the_edition_with_modules_on_postgresql(
    graded: Graded,
    by_grade: Path,
    expected: Points,
    tmp_path: Path,
) -> None:
    url, folder = postgresql(), tmp_path / "gradebook"
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(settings(folder, graded.course, url, by_grade))
    assert grader("assignment", folder, "--modules", cwd=graded.course).returncode == 0
    enter(graded, by_grade, url)
    assert in_gradebook(url) == expected
    forget(url)
    hand_in(folder)
    autograde(folder)
    assert in_gradebook(url) == expected
    assert_stays_as_it_is(folder, graded.course)


def assert_stays_as_it_is(folder: Path, course: Path) -> None:
    """The other edition has other cells; what was handed out is not lost over that."""
    before = {file: file.read_bytes() for file in (folder / "release" / COURSE.name).iterdir()}
    done = grader("assignment", folder, cwd=course)
    assert done.returncode == 2
    assert "in a folder of its own" in done.stderr
    assert {f: f.read_bytes() for f in (folder / "release" / COURSE.name).iterdir()} == before


def autograde(folder: Path) -> None:
    """Plain `nbgrader autograde`, in a process of its own, with which what judges ends, too."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", COURSE.name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def hand_in(folder: Path) -> None:
    """What was handed out, with every student's own modules in it."""
    release = folder / "release" / COURSE.name
    assert not any("BEGIN SOLUTION" in file.read_text() for file in release.iterdir())
    for student, texts in generated_texts().items():
        place = folder / "submitted" / student / COURSE.name
        place.mkdir(parents=True)
        shutil.copy(release / NAME, place)
        for stage, text in texts.items():
            (place / f"{stage}.py").write_text(text, encoding="utf-8")


def in_gradebook(url: str) -> Points:
    """What the gradebook has."""
    with gradebook(url) as book:
        sheets = [(s.student.id, s.notebooks[0]) for s in book.assignment_submissions(COURSE.name)]
        return {
            student: {
                g.name.removeprefix(CHECK): g.auto_score or 0
                for g in sheet.grades
                if g.name.startswith(CHECK)
            }
            for student, sheet in sheets
        }


def forget(url: str) -> None:
    """Take all marks out of the gradebook again."""
    with gradebook(url) as book:
        for submission in book.assignment_submissions(COURSE.name):
            for grade in submission.notebooks[0].grades:
                grade.auto_score = None
        book.db.commit()


def settings(folder: Path, course: Path, url: str, results: Path) -> str:
    """What `assignment` would write, and another gradebook; it leaves settings that are there.

    What `grade` judged is not judged again: modules are the same work in both.
    """
    return f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from grader.nbgrader.config import configure
c = get_config()
configure(c, Path({str(folder)!r}), Path({str(course)!r}))
c.CourseDirectory.db_url = {url!r}
c.CoursePreprocessor.store = {str(results / STORE)!r}
"""
