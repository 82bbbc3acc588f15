"""No report that a student may see holds what a student must not read."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.record import Record, SubmissionResult
from grader.reports.class_page import class_page
from grader.reports.exercism import exercism_results
from grader.reports.github import workflow_commands
from grader.reports.gradescope import gradescope_results
from grader.reports.html import student_page
from grader.reports.junit import junit_xml
from grader.reports.redacted import for_student, printable
from grader.reports.summary import ClassSummary
from harness.records import ALICE, BOB, COURSE, EXAMPLE, MARKER, records, submissions


def _pages(record: Record) -> str:
    return "".join(student_page(r, COURSE, record.isolation) for r in record.submissions)


def _class(record: Record) -> str:
    summary = ClassSummary()
    for result in record.submissions:
        summary.add(result)
    return class_page(summary, COURSE, record.isolation)


def _gradescope(record: Record) -> str:
    return json.dumps([gradescope_results(r, COURSE) for r in record.submissions])


def _exercism(record: Record) -> str:
    return json.dumps([exercism_results(r, COURSE) for r in record.submissions])


def _github(record: Record) -> str:
    return "".join(line for r in record.submissions for line in workflow_commands(r, COURSE))


def _junit(record: Record) -> str:
    return junit_xml(record, COURSE)


REPORTS = [_pages, _class, _gradescope, _exercism, _github, _junit]


@pytest.mark.parametrize("report", REPORTS)
@given(record=records())
def test_no_hidden_message_reaches_a_report(
    report: Callable[[Record], str], record: Record
) -> None:
    assert MARKER not in report(record)


@pytest.mark.parametrize("report", REPORTS)
def test_the_marker_would_be_seen_if_its_check_were_public(report: Callable[[Record], str]) -> None:
    """The test above can fail: the same text in a public check is in each of these reports."""
    public = replace(ALICE.stages[1].checks[2], hidden=False)
    stage = replace(ALICE.stages[1], checks=(public,), max_points=public.max_points)
    if report is _github:  # it says the diagnosis and stops, where there is one
        stage = replace(stage, diagnosis=())
    assert MARKER in report(replace(EXAMPLE, submissions=(replace(ALICE, stages=(stage,)),)))


@pytest.mark.parametrize("report", REPORTS)
@given(record=records())
def test_every_report_is_text_that_can_be_written(
    report: Callable[[Record], str], record: Record
) -> None:
    report(record).encode()


@given(submissions())
def test_what_is_redacted_stays_so(result: SubmissionResult) -> None:
    once = for_student(result)
    assert for_student(once) == once


@given(submissions())
def test_verdicts_and_points_stay(result: SubmissionResult) -> None:
    shown = for_student(result)
    assert [s.status for s in shown.stages] == [s.status for s in result.stages]
    assert (shown.points, shown.max_judged) == (result.points, result.max_judged)


def test_the_graders_folder_is_cut_from_messages() -> None:
    scores, softmax, _ = for_student(BOB).stages
    assert "\n  scores.py, line 14" in scores.checks[0].message
    assert "\n  softmax.py, line 3" in softmax.message


def test_a_folder_is_cut_only_where_it_stands_alone() -> None:
    told = replace(BOB.chain, message="a/scores.py and data/scores.py, ratio 1/a/b")
    assert for_student(replace(BOB, path="a", chain=told)).chain.message == (
        "scores.py and data/scores.py, ratio 1/a/b"
    )


@pytest.mark.parametrize("path", ["", "/", "\\"])
def test_an_empty_folder_cuts_nothing(path: str) -> None:
    told = replace(BOB.chain, message="n/a")
    assert for_student(replace(BOB, path=path, chain=told)).chain.message == "n/a"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("bell\x07", "bell\ufffd"),
        ("lone \ud800", "lone \ufffd"),
        ("turned \u202e", "turned \ufffd"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("ünï 漢字 عربى 🙂", "ünï 漢字 عربى 🙂"),
    ],
)
def test_text_becomes_printable(raw: str, shown: str) -> None:
    assert printable(raw) == shown


@given(st.text(st.characters(codec=None)))
def test_printable_text_fits_every_format(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert not any(ord(char) < 32 and char not in "\t\n\r" for char in shown)
