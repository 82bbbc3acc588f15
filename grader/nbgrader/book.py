"""Marks of submissions that `grade` judged, written to a gradebook of nbgrader's by its URL."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from ..course import Course, CourseError
from ..record import SubmissionResult
from . import marks
from .notebook import CHECK


def save(course: Course, url: str, results: Iterable[SubmissionResult]) -> int:
    """Write the marks of some submissions; what a person gave always stays.

    Args:
        course: the course, whose assignment the gradebook must know.
        url: of the gradebook, as SQLAlchemy has it: `sqlite:///gradebook/gradebook.db`.
        results: the submissions; each id is taken for the student's.

    Returns:
        How many were written.

    Raises:
        CourseError: the gradebook does not have the assignment, or cannot be opened.
    """
    warnings.filterwarnings("ignore", module="nbgrader")  # its own, of no use to an instructor
    from nbgrader.api import Gradebook, MissingEntry
    from sqlalchemy.exc import SQLAlchemyError

    number = 0
    try:
        with Gradebook(url, course.name) as book:
            book.find_assignment(course.name)
            for result in results:
                _save(book, course, result)
                number += 1
    except MissingEntry:
        raise CourseError(
            f"The gradebook {url} has no assignment {course.name!r}. Make it first: "
            f"nox -s assignment"
        ) from None
    except (SQLAlchemyError, ImportError) as error:
        raise CourseError(f"The gradebook {url} cannot be used: {error}") from None
    return number


def _save(book: Any, course: Course, result: SubmissionResult) -> None:
    book.update_or_create_student(result.id)
    submission = book.update_or_create_submission(course.name, result.id)
    [sheet] = submission.notebooks
    given = marks.of(result, course)
    for grade in sheet.grades:
        mark = given.get(grade.name.removeprefix(CHECK))
        if mark is not None:
            mark.save(grade)
    for comment in sheet.comments:
        if comment.name in given:
            comment.auto_comment = given[comment.name].comment or None
    book.db.commit()
