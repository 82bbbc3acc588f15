"""Marks in other people's tables: exports and the page of the class."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grader.commands import instructor
from grader.nbgrader.export import CourseExport
from harness.nbgrader import cheats, intake
from harness.nbgrader.graded import Graded, gradebook, nbgrader
from harness.nbgrader.handing_in import COURSE


def export(graded: Graded, form: str, to: Path) -> None:
    """What `nbgrader export` does."""
    plugin = CourseExport(root=str(graded.course), records=str(graded.folder / "records"))
    plugin.form, plugin.to = form, str(to)
    with gradebook(f"sqlite:///{graded.folder / 'gradebook.db'}") as book:
        plugin.export(book)


def test_the_table_has_the_points_of_every_stage(graded: Graded, tmp_path: Path) -> None:
    file = tmp_path / "canvas.csv"
    nbgrader(graded.folder, "export", "--CourseExport.form=canvas", f"--to={file}")
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


@pytest.mark.parametrize("layout", ["csv", "moodle", "blackboard"])
def test_other_tables_have_a_row_a_student(layout: str, graded: Graded, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    export(graded, layout, file)
    with file.open(newline="", encoding="utf-8-sig") as table:
        rows = list(csv.reader(table, "excel-tab" if "\t" in table.readline() else "excel"))
    assert sum(intake.RIGHT in row for row in rows) == 1


def test_reports_for_other_platforms(graded: Graded, tmp_path: Path) -> None:
    total = graded.total(intake.RIGHT)
    for form in ("gradescope", "exercism", "junit"):
        export(graded, form, tmp_path / form)
        assert len(list((tmp_path / form).iterdir())) == len(graded.marks)
    score = json.loads((tmp_path / "gradescope" / f"{intake.RIGHT}.json").read_text())["score"]
    assert score == total
    exercism = json.loads((tmp_path / "exercism" / f"{intake.RIGHT}.json").read_text())
    assert (exercism["version"], exercism["status"]) == (3, "fail")
    suites = ElementTree.parse(tmp_path / "junit" / f"{intake.RIGHT}.xml")  # noqa: S314 - ours
    assert len(suites.findall(".//testsuite")) >= len(intake.TWO)


def test_the_page_of_the_class(graded: Graded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(graded.course)
    instructor.feedback(graded.folder, of_class=True)
    page = (graded.folder / "class.html").read_text(encoding="utf-8")
    assert "softmax/columns" in page
    assert not any(f">{student}<" in page for student in graded.marks)
