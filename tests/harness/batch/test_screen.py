"""What `grade` prints while it goes."""

import io

from rich.console import Console

from grader.batch.command import _Screen
from grader.batch.local import Entry
from grader.batch.store import Key
from grader.record import SubmissionResult
from harness.records import ALICE, BOB, EVE


def shown(*results: SubmissionResult, known: bool = False) -> str:
    out = io.StringIO()
    with _Screen(Console(file=out, width=120), len(results)) as screen:
        for result in results:
            screen.tell(Entry(result.id, "", (), Key("", "", "")), result, known)
    return out.getvalue()


def test_a_line_a_submission_and_why_some_points_are_missing_below() -> None:
    first, *_, last = shown(ALICE, BOB, ALICE).splitlines()
    assert "alice" in first
    assert "28 of 40" in first
    assert last == "Not every point could be judged here: no accelerator here."


def test_what_was_judged_before_is_told_of_as_well() -> None:
    assert shown(ALICE, known=True).splitlines() == [
        "1 submission had been judged before.",
        "Not every point could be judged here: no accelerator here.",
    ]


def test_nothing_is_said_where_every_point_was_judged() -> None:
    assert "Not every point" not in shown(BOB, EVE)
