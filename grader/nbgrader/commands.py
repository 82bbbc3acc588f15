"""The commands for nbgrader: each checks what it is given, and runs nbgrader's own."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from ..batch import jobs as batch_jobs
from ..course import Course
from . import course_folder, feedback, submitted
from .engine import STORE, engine


def autograde(
    course: Course, folder: Path, *, student: str, jobs: int, force: bool, trust: bool
) -> bool:
    """`nbgrader autograde`, in this process, so that judging starts while nbgrader loads.

    Args:
        course: the course.
        folder: the course folder.
        student: a student's id, or a pattern for some; `*` for all.
        jobs: how many submissions are judged at a time; 0 for as many as pay, see `batch.jobs`.
        force: whether to grade again what is graded.
        trust: whether submissions may run unconfined.

    Returns:
        Whether nbgrader could grade them all.

    Raises:
        CourseError: there is no course folder, or nothing was handed in.
    """
    course_folder.refuse_missing(folder)
    handed_in = submitted.prepare(folder, course, student)
    at_a_time = batch_jobs.number(jobs, handed_in, os.cpu_count() or 1)
    engine(course.root, str(folder.resolve() / STORE), at_a_time, trust)
    options = [f"--CoursePreprocessor.jobs={at_a_time}", f"--CoursePreprocessor.trust={trust}"]
    chosen = [] if student == "*" else [f"--student={student}"]
    again = ["--force"] if force else []
    return _nbgrader(folder, ["autograde", course.name, *chosen, *again, *options])


def generate_feedback(course: Course, folder: Path, *, student: str) -> bool:
    """`nbgrader generate_feedback`, for all who were graded or for some."""
    course_folder.refuse_missing(folder)
    chosen = [] if student == "*" else [f"--student={student}"]
    return _nbgrader(folder, ["generate_feedback", course.name, "--force", *chosen])


def class_page(course: Course, folder: Path) -> Path:
    """Write the page of the class; it is nobody's feedback, so it lies apart."""
    course_folder.refuse_missing(folder)
    file = folder / "class.html"
    feedback.class_of(course, folder, file)
    return file


def _nbgrader(folder: Path, arguments: Sequence[str]) -> bool:
    """Run one of nbgrader's commands here, as its own program would."""
    os.environ.update(course_folder.environment())
    warnings.filterwarnings("ignore", module="nbgrader")  # its own, of no use to an instructor
    from nbgrader.apps.nbgraderapp import NbGraderApp

    here = Path.cwd()
    os.chdir(folder)
    try:
        NbGraderApp.launch_instance(list(arguments))
    except SystemExit as end:
        return not end.code
    finally:
        os.chdir(here)
        sys.stdout.flush()
    return True
