"""Marks as tables: our own grades.csv, and what Canvas, Moodle and Blackboard read.

All are written by the csv module. A cell with somebody's text never begins with a sign that makes
a spreadsheet take it for a formula (OWASP, "CSV Injection"; CWE-1236): it gets an apostrophe in
front.

In the three gradebooks' tables a stage is a column, and a stage of which something could not be
judged on this machine stays empty: neither zero nor full. grades.csv holds what was gained in it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..course import Course, Stage
from ..record import StageResult, Status, SubmissionResult
from .redacted import printable
from .words import points


@dataclass(frozen=True)
class Person:
    """What a gradebook knows of somebody beside the id."""

    first_name: str = ""
    last_name: str = ""
    email: str = ""


People = Mapping[str, Person]
"""People by the id of their submission."""
Row = list[str]


@dataclass(frozen=True)
class Layout:
    """How a gradebook wants its table.

    Attributes:
        header: the first rows.
        row: the row of one submission.
        encoding: of the file; with a mark at its start where Excel is the reader.
        quoting: `csv.QUOTE_MINIMAL` or `csv.QUOTE_ALL`.
    """

    header: Callable[[Course], list[Row]]
    row: Callable[[SubmissionResult, Person, Course], Row]
    encoding: str = "utf-8"
    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL


def write_table(
    file: Path,
    layout: Layout,
    results: Iterable[SubmissionResult],
    course: Course,
    people: People | None = None,
) -> None:
    """Write one table, a row a submission, in the order in which they come.

    Args:
        file: the file to write.
        layout: one of `LAYOUTS`.
        results: read once; only one is held at a time.
        course: gives the columns.
        people: names and addresses by id, where they are known.
    """
    with file.open("w", encoding=layout.encoding, newline="") as out:
        table = rows(layout, results, course, people or {})
        csv.writer(out, quoting=layout.quoting).writerows(table)


def rows(
    layout: Layout, results: Iterable[SubmissionResult], course: Course, people: People
) -> Iterator[Row]:
    """The table's rows, header first."""
    yield from layout.header(course)
    for result in results:
        yield layout.row(result, people.get(result.id, Person()), course)


_FORMULA = re.compile(r"(?:^|(?<=[;\t\r\n]))(?=[=+\-@＝＋－＠\t\r])")  # noqa: RUF001 - wide signs count
"""Where a spreadsheet may take text for a formula: at the start, and after what may split cells."""


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("Ann-Marie")
    ("'=1+1", 'Ann-Marie')
    """
    return _FORMULA.sub("'", printable(text))


def _marks(result: SubmissionResult, course: Course, missing: str = "") -> Row:
    """A cell a stage: its points, or `missing` where it was not, or not wholly, judged."""
    found = {stage.stage: stage for stage in result.stages}
    return [_mark(found.get(stage.name), missing) for stage in course.stages]


def _mark(stage: StageResult | None, missing: str) -> str:
    if stage is None or stage.max_judged < stage.max_points:
        return missing
    return points(stage.points)


# grades.csv: ours. Two columns a stage, since points alone do not say why they are missing.

_OWN = (
    *("id", "last_name", "first_name", "email"),
    *("points", "max_judged", "max_points", "complete", "chain"),
)


def _own_header(course: Course) -> list[Row]:
    pairs = [[name, f"{name}_status"] for name in course.names]
    return [[*_OWN, *(cell for pair in pairs for cell in pair)]]


def _own_row(result: SubmissionResult, person: Person, course: Course) -> Row:
    who = [result.id, person.last_name, person.first_name, person.email]
    sums = [points(n) for n in (result.points, result.max_judged, result.max_points)]
    found = {stage.stage: stage for stage in result.stages}
    pairs = [_own_pair(found.get(name)) for name in course.names]
    complete = "yes" if result.complete else "no"
    cells = [*sums, complete, result.chain.status.value]
    return [*map(harmless, who), *cells, *(cell for pair in pairs for cell in pair)]


def _own_pair(stage: StageResult | None) -> Row:
    if stage is None:
        return ["", Status.NOT_JUDGED.value]
    judged = stage.status is not Status.NOT_JUDGED
    return [points(stage.points) if judged else "", stage.status.value]


# Canvas: columns and the row of maxima as read by lib/gradebook_importer.rb in
# instructure/canvas-lms. It looks a student up by ID (Canvas's own number, which its bulk download
# puts into file names), then by login. An empty cell leaves a mark as it is. No column with the
# total: Canvas would count it as one more assignment.


def _canvas_header(course: Course) -> list[Row]:
    names = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    maxima = ["    Points Possible", "", "", "", ""]
    return [
        [*names, *(stage.title for stage in course.stages)],
        [*maxima, *(points(stage.points) for stage in course.stages)],
    ]


def _canvas_row(result: SubmissionResult, person: Person, course: Course) -> Row:
    name = ", ".join(part for part in (person.last_name, person.first_name) if part)
    number, login = (result.id, "") if result.id.isdecimal() else ("", result.id)
    return [*map(harmless, (name, number, "", login, "")), *_marks(result, course)]


# Moodle: grades are imported by columns that the instructor maps by name; a person is found by
# username, ID number or e-mail address, and "-" is no grade (grade/import/csv/classes/load_data.php
# in moodle/moodle; https://docs.moodle.org/en/Grade_import).


def _moodle_header(course: Course) -> list[Row]:
    names = ["First name", "Last name", "Username", "Email address"]
    return [[*names, *(stage.title for stage in course.stages)]]


def _moodle_row(result: SubmissionResult, person: Person, course: Course) -> Row:
    who = (person.first_name, person.last_name, result.id, person.email)
    return [*map(harmless, who), *_marks(result, course, missing="-")]


# Blackboard: a person is found by Username; a column's header is its title and maximum, to which a
# download from Blackboard adds the number of an existing column ("… |664617"). Without one a new
# column is made. In comma-separated files every cell is quoted ("Work Offline with Grade Data",
# help.blackboard.com).


def _blackboard_header(course: Course) -> list[Row]:
    names = ["Last Name", "First Name", "Username"]
    return [[*names, *(_blackboard_column(stage) for stage in course.stages)]]


def _blackboard_column(stage: Stage) -> str:
    return f"{stage.title} [Total Pts: {points(stage.points)} Score]"


def _blackboard_row(result: SubmissionResult, person: Person, course: Course) -> Row:
    who = (person.last_name, person.first_name, result.id)
    return [*map(harmless, who), *_marks(result, course)]


LAYOUTS: Mapping[str, Layout] = {
    "csv": Layout(_own_header, _own_row, encoding="utf-8-sig"),
    "canvas": Layout(_canvas_header, _canvas_row),
    "moodle": Layout(_moodle_header, _moodle_row),
    "blackboard": Layout(
        _blackboard_header, _blackboard_row, encoding="utf-8-sig", quoting=csv.QUOTE_ALL
    ),
}
"""The layouts by the name that commands use for them."""
