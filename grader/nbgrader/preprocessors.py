"""What nbgrader runs on a submission in place of its own steps.

`RestoreMetadata` puts a notebook in order, `ConfinedGrade` has it judged, `SaveConfinedGrades`
writes the marks. Whatever a student did becomes a mark and a sentence; an exception would make
nbgrader throw the submission away.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors.base import NbGraderPreprocessor
from nbgrader.utils import determine_grade, is_solution
from traitlets import Bool, Integer, Unicode

from ..course import Course, CourseError
from ..intake.places import told_by_cells
from ..machinery import MachineryError
from ..record import SubmissionResult
from ..stubs import stub
from . import marks, restore, submitted
from .engine import Engine, engine
from .feedback import record_file
from .notebook import CHECK

Resources = dict[str, Any]


Released = tuple[Mapping[str, restore.Known], str]
_RELEASED: WeakKeyDictionary[object, dict[str, Released]] = WeakKeyDictionary()
"""What converters know of notebooks; preprocessors are made anew for each submission."""


class CoursePreprocessor(NbGraderPreprocessor):  # type: ignore[misc]
    """Knows the course; `nbgrader_config.py` says where it is."""

    root = Unicode(help="The folder of course.toml.").tag(config=True)
    store = Unicode(help="File or URL where results are kept.").tag(config=True)
    records = Unicode(help="The folder where records are kept.").tag(config=True)
    jobs = Integer(1, help="How many submissions are judged at a time.").tag(config=True)
    trust = Bool(False, help="Whether submissions may run unconfined.").tag(config=True)

    def course(self) -> Course:
        """The course."""
        return self.engine().course

    def engine(self) -> Engine:
        """What judges, started at the first call."""
        return engine(Path(self.root), self.store, self.jobs, self.trust)


class LeaveOutSolutions(NbGraderPreprocessor):  # type: ignore[misc]
    """Turns solution cells into stubs, as `ClearSolutions` does, and keeps the stub's own words."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: Resources, _index: int
    ) -> tuple[NotebookNode, Resources]:
        """Leave the solution out of one cell."""
        if is_solution(cell) and cell.cell_type == "code":
            cell.source = stub(cell.source + "\n").rstrip("\n")
        return cell, resources


class RestoreMetadata(CoursePreprocessor):
    """Puts a notebook in order by its cells' ids, and by what is in them where those are lost."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Restore marks, types and locked texts; put missing cells back."""
        course, facts = self.course(), resources["nbgrader"]  # the engine starts meanwhile
        known, kernelspec = self._released(facts)
        nb.metadata["kernelspec"] = json.loads(kernelspec)
        nb.cells, notes = restore.restored(nb.cells, known, course)
        submitted.add_notes(nb, notes)
        for note in submitted.notes(nb):
            self.log.info("%s: %s", facts["student"], note)
        return nb, resources

    def _released(self, facts: Mapping[str, str]) -> Released:
        """What the gradebook knows of the notebook; it is asked once a run."""
        known = _RELEASED.setdefault(self.parent.parent, {})
        if facts["notebook"] not in known:
            with Gradebook(facts["db_url"]) as gradebook:
                found = gradebook.find_notebook(facts["notebook"], facts["assignment"])
                known[facts["notebook"]] = restore.known_cells(found), found.kernelspec
        return known[facts["notebook"]]


class ConfinedGrade(CoursePreprocessor):
    """Has a submission judged by the confined engine; no cell of it is run here."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put the marks into the resources, and what a student may read into the test cells."""
        self._expect_the_next(resources)
        course, student = self.course(), resources["nbgrader"]["student"]
        work, notes = submitted.read(nb, self._handed_in(student), course, student)
        try:
            result = self.engine().result(work)
        except (CourseError, MachineryError) as error:
            self.log.error("%s could not be judged, as the grader failed: %s", student, error)
            resources["marks"] = marks.unjudged(course, str(error))
            record_file(Path(self.records), student).unlink(missing_ok=True)
        else:
            result = told_by_cells(result, work.places, course.titles)
            result = replace(result, id=student, path=work.path, notes=notes)
            resources["marks"] = marks.of(result, course)
            self._keep(result)
        for cell in nb.cells:
            marks.show(cell, resources["marks"])
        return nb, resources

    def _keep(self, result: SubmissionResult) -> None:
        file = record_file(Path(self.records), result.id)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(self.engine().head, submissions=(result,)).write(file)

    def _handed_in(self, student: str) -> Path:
        """The student's own folder, untouched."""
        directory = self._converter().coursedir
        place = directory.format_path(directory.submitted_directory, student, self._assignment())
        return Path(place)

    def _assignment(self) -> str:
        return str(self._converter().coursedir.assignment_id)

    def _converter(self) -> Any:
        return self.parent.parent

    def _expect_the_next(self, resources: Resources) -> None:
        """Have the next submissions judged while nbgrader is busy with this one."""
        converter, course = self._converter(), self.course()
        places = sorted(converter.assignments)
        at = next((n for n, p in enumerate(places) if _student(p) == _who(resources)), len(places))
        waiting = [
            Path(place)
            for place in places[at + 1 : at + 1 + 2 * self.jobs]
            if converter.force or not self._graded(_student(place))
        ]
        self.engine().expect(waiting, lambda p: submitted.peek(p, course, _student(p)))

    def _graded(self, student: str) -> bool:
        return Path(self._converter()._format_dest(self._assignment(), student)).exists()


def _student(place: str | Path) -> str:
    return Path(place).parent.name


def _who(resources: Resources) -> str:
    return str(resources["nbgrader"]["student"])


class SaveConfinedGrades(NbGraderPreprocessor):  # type: ignore[misc]
    """Writes marks to the gradebook, all of them or none; what a person gave always stays."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Save the marks of one submission."""
        facts = resources["nbgrader"]
        cells = {cell.metadata.nbgrader.grade_id: cell for cell in nb.cells if _marked(cell)}
        with Gradebook(facts["db_url"]) as gradebook:
            found = gradebook.find_submission_notebook(
                facts["notebook"], facts["assignment"], facts["student"]
            )
            found.notebook.grade_cells  # noqa: B018 - loads the cells of all marks at once
            for grade in found.grades:
                _mark(grade.name, cells, resources["marks"], self.log).save(grade)
            for comment in found.comments:
                comment.auto_comment = _comment(comment.name, cells, resources["marks"])
            gradebook.db.commit()
        return nb, resources


class GetMarks(NbGraderPreprocessor):  # type: ignore[misc]
    """What feedback needs of the gradebook; `GetGrades` would ask it anew for every cell."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Put marks and comments into the cells, and totals into the resources."""
        facts = resources["nbgrader"]
        with Gradebook(facts["db_url"]) as gradebook:
            found = gradebook.find_submission_notebook(
                facts["notebook"], facts["assignment"], facts["student"]
            )
            told = _told(found)
            late = found.late_submission_penalty or 0
            facts |= {"score": found.score - late, "max_score": found.max_score}
            facts["late_penalty"] = late
        for cell in filter(_marked, nb.cells):
            cell.metadata.nbgrader.update(told.get(cell.metadata.nbgrader.grade_id, {}))
        return nb, resources


def _told(found: Any) -> dict[str, dict[str, Any]]:
    """What a submitted notebook has in the gradebook, by the ids of its cells."""
    found.notebook.grade_cells  # noqa: B018 - loads the cells of all marks at once
    told: dict[str, dict[str, Any]] = {c.name: {"comment": c.comment} for c in found.comments}
    for grade in found.grades:
        marks = {"score": grade.score, "points": grade.max_score}
        told.setdefault(grade.name, {}).update(marks, waiting=grade.needs_manual_grade)
    return told


def _marked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade_id"))


def _mark(
    name: str, cells: Mapping[str, NotebookNode], given: Mapping[str, marks.Mark], log: Any
) -> marks.Mark:
    """Our mark of a test cell; nbgrader's of any other, which a person has to look at."""
    stage = name.removeprefix(CHECK)
    if stage in given:
        return given[stage]
    score, _ = determine_grade(cells[name], log)
    return marks.Mark(score, by_hand=score is None)


def _comment(
    name: str, cells: Mapping[str, NotebookNode], given: Mapping[str, marks.Mark]
) -> str | None:
    """What to tell below an answer."""
    if name in given:
        return given[name].comment or None
    unchanged = name in cells and determine_grade(cells[name])[0] == 0
    return "No response." if unchanged else None
