"""`nbgrader export`: points per stage for other gradebooks, and reports for other platforms.

nbgrader export --CourseExport.form=canvas --to=canvas.csv
nbgrader export --CourseExport.form=gradescope --to=FOLDER
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nbgrader.plugins import ExportPlugin
from traitlets import Enum, Unicode

from .. import course as courses
from .. import record as records
from ..course import Course, Question, Stage
from ..record import Chain, CheckResult, Record, StageResult, Status, SubmissionResult
from ..reports.exercism import exercism_results
from ..reports.gradescope import gradescope_results
from ..reports.junit import junit_xml
from ..reports.tables import LAYOUTS, Person, write_table
from .feedback import record_file
from .notebook import CHECK


class CourseExport(ExportPlugin):  # type: ignore[misc]
    """Writes a table with a row a student, or a file a student, for one of several readers."""

    root = Unicode(help="The folder of course.toml.").tag(config=True)
    records = Unicode(help="The folder where records are kept.").tag(config=True)
    form = Enum([*LAYOUTS, "gradescope", "exercism", "junit"], "csv", help="For whom.").tag(
        config=True
    )

    def export(self, gradebook: Any) -> None:
        """Write to `--to`: a file for a table, else a folder."""
        course = courses.load(Path(self.root))
        chosen = {str(student) for student in self.student}
        found = [
            submission
            for submission in gradebook.assignment_submissions(course.name)
            if not chosen or submission.student.id in chosen
        ]
        write = self._table if self.form in LAYOUTS else self._reports
        self.log.info("Wrote %s: %d students.", *write(found, course))

    def _table(self, found: Sequence[Any], course: Course) -> tuple[Path, int]:
        """A row a student and a column a stage, as the gradebook has the points now.

        What a person marked counts; what waits for one is empty. Penalties for being late are a
        matter of the whole assignment, and are not in it.
        """
        file, course = Path(self.to or f"grades-{self.form}.csv"), with_questions(course)
        people = {s.student.id: _person(s.student) for s in found}
        rows = (_result(submission, course) for submission in found)
        write_table(file, LAYOUTS[self.form], rows, course, people)
        return file, len(found)

    def _reports(self, found: Sequence[Any], course: Course) -> tuple[Path, int]:
        """One file a student, as another platform reads it, from what the engine found."""
        folder = Path(self.to or self.form)
        folder.mkdir(parents=True, exist_ok=True)
        ending, write = _FORMS[self.form]
        files = [record_file(Path(self.records), submission.student.id) for submission in found]
        judged = [file for file in files if file.is_file()]
        for file in judged:
            text = write(records.read(file), course)
            (folder / f"{file.stem}.{ending}").write_text(text, encoding="utf-8")
        return folder, len(judged)


_FORMS: Mapping[str, tuple[str, Callable[[Record, Course], str]]] = {
    "gradescope": ("json", lambda r, c: json.dumps(gradescope_results(r.submissions[0], c))),
    "exercism": ("json", lambda r, c: json.dumps(exercism_results(r.submissions[0], c))),
    "junit": ("xml", junit_xml),
}


def with_questions(course: Course) -> Course:
    """The course with a column for every question, too."""
    more = tuple(map(_as_stage, course.questions))
    return replace(course, stages=(*course.stages, *more))


def _as_stage(question: Question) -> Stage:
    title = f"Question: {question.name}"
    return Stage(question.name, title, question.points, minutes=0, seconds=0, memory=0)


def _person(student: Any) -> Person:
    return Person(student.first_name or "", student.last_name or "", student.email or "")


def _result(submission: Any, course: Course) -> SubmissionResult:
    """A submission as the gradebook has it now."""
    [sheet] = submission.notebooks
    grades = {grade.name.removeprefix(CHECK): grade for grade in sheet.grades}
    stages = tuple(
        _stage(stage, grades[stage.name]) for stage in course.stages if stage.name in grades
    )
    chain = Chain(Status.NOT_JUDGED)
    return SubmissionResult(submission.student.id, "", "", 0.0, stages, chain)


def _stage(stage: Stage, grade: Any) -> StageResult:
    """A stage with the gradebook's points; what waits for a person is not judged."""
    waiting = grade.needs_manual_grade and grade.manual_score is None
    gained = float(grade.score)
    if waiting:
        status = Status.NOT_JUDGED
    else:
        status = Status.PASSED if gained >= stage.points else Status.FAILED
    check = CheckResult(stage.name, stage.title, False, status, gained, stage.points)
    return StageResult(stage.name, status, stage.points, (check,))
