"""Tables for gradebooks."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.record import SubmissionResult
from grader.reports.tables import LAYOUTS, Person, harmless, rows, write_table
from harness.records import ALICE, BOB, COURSE, EVE, EXAMPLE, submissions
from harness.reports import looks

PEOPLE = {
    ALICE.id: Person("Älice", "O'Neil, Jr.", "alice@example.org"),
    EVE.id: Person("@eve", "+1", "-2"),
}
TEXT = {"csv": 4, "canvas": 5, "moodle": 4, "blackboard": 3}
"""How many columns of a layout hold somebody's text; all of them come first."""


def _read(name: str, file: Path) -> list[list[str]]:
    with file.open(encoding=LAYOUTS[name].encoding, newline="") as opened:
        return list(csv.reader(opened))


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_example_looks_as_it_did(name: str, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    write_table(file, LAYOUTS[name], EXAMPLE.submissions, COURSE, PEOPLE)
    looks.matches(f"{name}.csv", file.read_bytes().decode(LAYOUTS[name].encoding))


def test_files_for_excel_begin_with_a_mark(tmp_path: Path) -> None:
    for name in LAYOUTS:
        write_table(tmp_path / name, LAYOUTS[name], [], COURSE)
    marked = [
        name for name in LAYOUTS if (tmp_path / name).read_bytes().startswith(b"\xef\xbb\xbf")
    ]
    assert marked == ["csv", "blackboard"]


@pytest.mark.parametrize("name", LAYOUTS)
@given(result=submissions(), people=st.text(max_size=20).map(lambda t: Person(t, t, t)))
def test_no_row_breaks_out_of_its_columns(
    name: str, result: SubmissionResult, people: Person
) -> None:
    header, *_, row = rows(LAYOUTS[name], [result], COURSE, {result.id: people})
    assert len(row) == len(header)
    held = io.StringIO(newline="")
    csv.writer(held, quoting=LAYOUTS[name].quoting).writerow(row)
    assert list(csv.reader(io.StringIO(held.getvalue(), newline=""))) == [row]


@pytest.mark.parametrize("name", LAYOUTS)
@given(result=submissions(), evil=st.sampled_from("=+-@\t\r＝＋－＠"))  # noqa: RUF001
def test_no_cell_is_taken_for_a_formula(name: str, result: SubmissionResult, evil: str) -> None:
    text = f"{evil}1+1;{evil}2"
    result = replace(result, id=text)
    *_, row = rows(LAYOUTS[name], [result], COURSE, {text: Person(text, text, text)})
    for cell in row[: TEXT[name]]:
        assert all(not part.startswith(evil) for part in cell.split(";"))
    assert any(evil in cell for cell in row)


@pytest.mark.parametrize(
    "text", ["Ann-Marie", "a=b", "user@example.org", "", "Ünï, cødé", "'quoted'"]
)
def test_harmless_text_is_left_alone(text: str) -> None:
    assert harmless(text) == text


def _cells(name: str, result: SubmissionResult) -> list[str]:
    *_, row = rows(LAYOUTS[name], [result], COURSE, {})
    return row[-len(COURSE.stages) :]


@pytest.mark.parametrize(("name", "missing"), [("canvas", ""), ("moodle", "-"), ("blackboard", "")])
def test_a_gradebook_gets_no_mark_for_what_was_not_judged(name: str, missing: str) -> None:
    assert _cells(name, ALICE) == ["10", "8", missing]
    assert _cells(name, BOB) == ["0", "0", "0"]
    assert _cells(name, replace(ALICE, stages=ALICE.stages[:1])) == ["10", missing, missing]


def test_our_own_table_tells_points_and_states_apart() -> None:
    header, alice, bob = rows(LAYOUTS["csv"], [ALICE, BOB], COURSE, {})
    shown = dict(zip(header, alice, strict=True))
    assert (shown["points"], shown["max_judged"], shown["max_points"]) == ("28", "40", "50")
    assert (shown["complete"], shown["gpu"], shown["gpu_status"]) == ("no", "10", "passed")
    assert dict(zip(header, bob, strict=True))["gpu_status"] == "not_started"


def test_canvas_finds_people_by_its_number_or_by_login() -> None:
    *_, number, login = rows(LAYOUTS["canvas"], [replace(ALICE, id="1234"), ALICE], COURSE, {})
    assert (number[1], number[3]) == ("1234", "")
    assert (login[1], login[3]) == ("", "alice")


def test_columns_follow_the_course() -> None:
    short = Course("c", "C", COURSE.stages[:1], COURSE.root)
    for name, layout in LAYOUTS.items():
        header = next(iter(rows(layout, [], short, {})))
        own = 2 if name == "csv" else 1
        assert len(header) == len(next(iter(rows(layout, [], COURSE, {})))) - 2 * own


def test_submissions_are_taken_one_at_a_time(tmp_path: Path) -> None:
    many = (replace(ALICE, id=str(n)) for n in range(2000))
    write_table(tmp_path / "grades.csv", LAYOUTS["csv"], many, COURSE)
    assert len(_read("csv", tmp_path / "grades.csv")) == 2001
