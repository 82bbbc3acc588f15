"""What a run leaves in its folder: the record, a page a student, a table, and the class's page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from ..course import Course
from ..record import Record, SubmissionResult, write
from ..reports.class_page import class_page
from ..reports.html import student_page
from ..reports.summary import ClassSummary
from ..reports.tables import LAYOUTS, write_table

REPORTS = ("grades.csv", "class.html", "students/", "record.json")

Results = Callable[[], Iterable[SubmissionResult]]
"""All results, from the first one on at each call; only one is held at a time."""


def publish(folder: Path, course: Course, head: Record, results: Results) -> None:
    """Write all reports.

    Args:
        folder: where they go; it is there.
        course: the course.
        head: the record without submissions.
        results: the submissions.
    """
    write(head, results(), folder / "record.json")
    write_table(folder / "grades.csv", LAYOUTS["csv"], results(), course)
    summary = ClassSummary()
    pages = folder / "students"
    pages.mkdir(exist_ok=True)
    for result in results():
        summary.add(result)
        page = student_page(result, course, head.isolation)
        (pages / page_name(result.id)).write_text(page, encoding="utf-8")
    text = class_page(summary, course, head.isolation)
    (folder / "class.html").write_text(text, encoding="utf-8")


def page_name(id_: str) -> str:
    """A file's name for a student's page, fit for every system; different for different ids.

    >>> page_name("anna")
    'anna.html'
    """
    name = re.sub(r"[^\w\- ()]", "_", id_)[:60].strip()
    # Capitals, since two names may be one to a file system that does not tell them apart.
    if name != id_ or name.lower() != name or not name.isascii():
        name += "-" + hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name}.html"
