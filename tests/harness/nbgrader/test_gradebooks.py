"""Marks in other people's tables and databases: exports, PostgreSQL, modules judged by `grade`."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.nbgrader.course_folder import environment
from harness.batch.databases import postgresql
from harness.cli import grader
from harness.nbgrader import cheats, intake
from harness.nbgrader.graded import Graded, gradebook
from harness.nbgrader.handing_in import COURSE, ROOT


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


@pytest.mark.parametrize("form", ["gradescope", "junit"])
def test_reports_for_other_platforms(graded: Graded, tmp_path: Path, form: str) -> None:
    exporter = "--exporter=grader.nbgrader.export.Reports"
    nbgrader(graded.folder, "export", exporter, f"--Reports.form={form}", f"--to={tmp_path}")
    if form == "gradescope":
        found = json.loads((tmp_path / f"{intake.RIGHT}.json").read_text())
        assert found["score"] == graded.total(intake.RIGHT)
    else:
        root = ET.parse(tmp_path / f"{cheats.PLAIN}.xml").getroot()  # noqa: S314 - ours
        assert int(root.get("failures", 0)) > 0


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
