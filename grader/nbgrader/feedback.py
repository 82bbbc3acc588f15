"""Feedback: from the records that autograding leaves in the course folder, and the gradebook.

Records hold hidden checks' messages and the seed, so they lie apart: nbgrader hands out whatever it
finds beside a notebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from .. import record as records
from .. import stage_page
from ..course import Course, CourseError
from ..figures import figure_html, page_assets
from ..record import Chain, Isolation, Record, StageResult, Status, SubmissionResult
from ..reports.class_page import class_page
from ..reports.html import Book, Figures, Marked, student_page
from ..reports.summary import ClassSummary
from ..reports.words import UNFINISHED
from .notebook import CHECK

RECORDS = "records"
"""The folder of a course folder with the records, one a student."""


def record_file(records_: Path, student: str) -> Path:
    """Where a student's record lies."""
    return records_ / f"{student}.json"


def page(nb: NotebookNode, file: Path, totals: Mapping[str, Any], course: Course) -> str:
    """The page of one student.

    Args:
        nb: the autograded notebook, with the gradebook's marks in its cells.
        file: the student's record.
        totals: `score`, `max_score` and `late_penalty` of the gradebook.
        course: the course.

    """
    record = records.read(file) if file.is_file() else _unjudged(file.stem)
    result = record.submissions[0]
    marked = tuple(_marked(nb, result.stages, course))
    score, most, late = (float(totals[key]) for key in ("score", "max_score", "late_penalty"))
    book = Book(score, most, late, marked)
    return student_page(result, course, record.isolation, _figures(course, result.stages), book)


def _unjudged(student: str) -> Record:
    """What stands for the record of somebody whose work the grader failed on."""
    chain = Chain(Status.NOT_JUDGED)
    result = SubmissionResult(student, "", "", 0.0, (), chain, ("It could not be judged yet.",))
    return Record("", "", "", Isolation(level=1), (result,))


def class_of(course: Course, folder: Path, file: Path) -> int:
    """Write the page of the class, from all records in a course folder.

    Returns:
        How many submissions it shows.

    Raises:
        CourseError: nothing has been graded yet.
    """
    found = [records.read(place) for place in recorded(folder)]
    if not found:
        raise CourseError(f"Nothing is graded in {folder} yet. Run: nox -s autograde")
    summary = ClassSummary()
    for record in found:
        summary.add(record.submissions[0])
    file.write_text(class_page(summary, course, found[0].isolation), encoding="utf-8")
    return len(found)


def recorded(folder: Path) -> list[Path]:
    """The records in a course folder, by student."""
    return sorted((folder / RECORDS).glob("*.json"))


def _figures(course: Course, stages: Sequence[StageResult]) -> Figures:
    """The figures of the stages with something to mend: there a picture helps."""
    names = {
        stage.stage: stage_page.read(course, stage.stage).figure
        for stage in stages
        if stage.status in UNFINISHED and stage.checks
    }
    shown = {stage: figure_html(figure) for stage, figure in names.items() if figure}
    css, script = page_assets() if shown else ("", "")
    return Figures(shown, css, script)


def _marked(nb: NotebookNode, stages: Sequence[StageResult], course: Course) -> Iterator[Marked]:
    """What a person marked: the questions, and stages whose points somebody changed."""
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in nb.cells}
    for stage in stages:
        cell, answer = cells.get(f"{CHECK}{stage.stage}"), cells.get(stage.stage)
        if cell is not None and abs(_facts(cell)["score"] - stage.points) > 1e-6:
            comment = _by_person(answer, stage) if answer is not None else ""
            yield _made(course.stage(stage.stage).title, cell, comment=comment)
    for question in course.questions:
        cell = cells.get(question.name)
        if cell is not None:
            comment = _facts(cell).get("comment") or ""
            yield _made(question.text, cell, cell.source, comment)


def _by_person(answer: NotebookNode, stage: StageResult) -> str:
    """The comment below an answer, unless it is what the grader put there."""
    comment = str(_facts(answer).get("comment") or "")
    ours = any(diagnosis.message[:40] in comment for diagnosis in stage.diagnosis)
    return "" if ours else comment


def _made(title: str, cell: NotebookNode, answer: str = "", comment: str = "") -> Marked:
    facts = _facts(cell)
    waiting = bool(facts.get("waiting"))
    return Marked(title, answer, float(facts["score"]), float(facts["points"]), waiting, comment)


def _facts(cell: NotebookNode) -> Mapping[str, Any]:
    facts: Mapping[str, Any] = cell.metadata.nbgrader
    return facts
