"""nbgrader's configuration for this course: the stock commands, with our preprocessors in them."""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config

from .. import course as courses
from ..course import Course
from .engine import STORE
from .feedback import RECORDS

_PREPROCESSORS = "grader.nbgrader.preprocessors"
SANITIZE = [f"{_PREPROCESSORS}.RestoreMetadata"]
"""In place of `ClearOutput`, `DeduplicateIds`, `OverwriteKernelspec` and `OverwriteCells`.

Those open the gradebook anew each, and raise an exception where a student changed a cell's marks.
`CheckCellMetadata` has nothing to check: all metadata that leave this step are the gradebook's own.
"""
GRADE = [
    f"{_PREPROCESSORS}.ConfinedGrade",
    f"{_PREPROCESSORS}.SaveConfinedGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]
"""In place of `Execute`, `IgnorePattern`, `LimitOutput`, `SaveAutoGrades` and one more check."""
ASSIGN = [
    "nbgrader.preprocessors.LockCells",
    f"{_PREPROCESSORS}.LeaveOutSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
]
"""There are no hidden tests and no marking schemes to clear; the stub's own words stay in it."""


def configure(c: Config, folder: Path, root: Path) -> None:
    """Set everything that this course needs of nbgrader.

    Args:
        c: what `get_config()` gives in an `nbgrader_config.py`.
        folder: the folder of that file: the course as nbgrader sees it.
        root: the folder of course.toml.
    """
    course = courses.load(root)
    c.CourseDirectory.root = str(folder)
    c.CourseDirectory.course_id = course.name
    for section in (c.CoursePreprocessor, c.FeedbackExporter, c.CourseExport):
        section.root = str(root)
        section.records = str(folder / RECORDS)
    c.CoursePreprocessor.store = str(folder / STORE)
    c.GenerateAssignment.preprocessors = ASSIGN
    c.Autograde.sanitize_preprocessors = SANITIZE
    c.Autograde.autograde_preprocessors = GRADE
    c.Autograde.exporter_class = "grader.nbgrader.exporter.TolerantExporter"
    c.TolerantExporter.optimistic_validation = True  # one look at the notebook, at the end
    c.Autograde.pre_convert_hook = "grader.nbgrader.submitted.before_conversion"
    c.Autograde.exclude_overwriting = {course.name: _files(course)}
    c.GenerateFeedback.preprocessors = [f"{_PREPROCESSORS}.GetMarks"]
    c.GenerateFeedback.exporter_class = "grader.nbgrader.exporter.FeedbackExporter"
    c.ExportApp.plugin_class = "grader.nbgrader.export.CourseExport"


def _files(course: Course) -> list[str]:
    """What a student may hand in beside the notebook; it is not replaced by the source's."""
    return [f"{name}.py" for name in course.names]
