"""The class page, and the figures that it draws."""

import random
from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course
from grader.record import Chain, StageResult, Status, SubmissionResult
from grader.reports.class_page import BINS, SHOWN, bins, class_page
from grader.reports.summary import ClassSummary
from harness.records import (
    ALICE,
    BOB,
    COLUMNS,
    CONFINED,
    COURSE,
    EVE,
    EXAMPLE,
    TRUSTED,
    check,
    submissions,
)
from harness.reports import looks
from harness.reports.reading import Page
from harness.reports.test_html import ATTRIBUTES, OURS


def _summary(results: Iterable[SubmissionResult]) -> ClassSummary:
    summary = ClassSummary()
    for result in results:
        summary.add(result)
    return summary


def _page(results: Iterable[SubmissionResult]) -> str:
    return class_page(_summary(results), COURSE, CONFINED)


def _softmax(student: str, sentence: str, numbers: str) -> SubmissionResult:
    """Somebody whose only mistake is in softmax."""
    failed = check("softmax.rows", "Rows", 20, Status.FAILED, numbers)
    named = (replace(COLUMNS, message=sentence),)
    stage = StageResult("softmax", Status.FAILED, 20, (failed,), named)
    return replace(ALICE, id=student, path=f"/w/{student}", stages=(stage,))


def test_how_many_stand_where() -> None:
    text = Page(_page(EXAMPLE.submissions)).text
    assert "3 submissions; 9.33 points on average, 0 at the median, of 50." in text
    assert "In 1 not every point could be judged here: no accelerator here." in text
    assert "2. Row softmax 1 failed 1 error 1 not submitted" in text


def test_mistakes_are_ranked_by_how_many_made_them() -> None:
    many = [_softmax(f"s{n}", "Columns.", "numbers") for n in range(3)]
    text = Page(_page([*many, EVE])).text
    assert text.index("softmax/columns 3 submissions") < text.index("scores/text 1 submission,")


def test_only_the_commonest_mistakes_are_shown_in_full() -> None:
    named = [replace(COLUMNS, id=f"softmax/m{n:02}") for n in range(SHOWN + 3)]
    results = [
        replace(ALICE, stages=(replace(ALICE.stages[1], diagnosis=tuple(named[: n + 1])),))
        for n in range(len(named))
    ]
    text = Page(_page(results)).text
    assert "3 more, each made by 3 at most" in text
    assert text.count(COLUMNS.message) == SHOWN


def test_the_shortest_example_is_shown() -> None:
    page = _page(
        [
            _softmax("s1", "Your 17 columns sum to 1.", "a long example"),
            _softmax("s2", "Your 2 columns sum to 1.", "short"),
        ]
    )
    assert "Your 2 columns" in page
    assert "Your 17 columns" not in page
    assert "a long example" not in page


def test_an_example_names_nobody() -> None:
    page = _page(
        [
            _softmax("carol", "Short, carol.", "x"),
            _softmax("dave", "Nobody is named in here.", "/w/dave/softmax.py is cut to its name"),
        ]
    )
    assert "carol" not in page
    assert "dave" not in page
    assert "Nobody is named in here." in page
    assert "softmax.py is cut to its name" in page


def test_a_mistake_with_no_example_that_names_nobody_is_counted_still() -> None:
    text = Page(_page([_softmax("carol", "Short, carol.", "x")])).text
    assert "softmax/columns 1 submission, Row softmax" in text


def test_a_mistake_counts_once_a_submission() -> None:
    twice = replace(ALICE.stages[1], diagnosis=(COLUMNS, replace(COLUMNS, match="property")))
    page = _page([replace(ALICE, stages=(twice,))])
    assert "softmax/columns 1 submission, Row softmax" in Page(page).text


def test_an_exception_is_no_example() -> None:
    """It may hold anything that a student wrote; numbers hold nothing of the kind."""
    raised = check("softmax.rows", "Rows", 20, Status.ERROR, "ValueError: my phone is 555")
    stage = StageResult("softmax", Status.FAILED, 20, (raised,), (COLUMNS,))
    page = _page([replace(ALICE, stages=(stage,))])
    assert COLUMNS.message in page
    assert "my phone" not in page


def test_checks_that_nearly_all_failed() -> None:
    def one(failed: bool, judged: bool = True) -> SubmissionResult:
        status = Status.FAILED if failed else Status.PASSED
        tough = check("softmax.tough", "Tough", 10, status if judged else Status.NOT_JUDGED)
        easy = check("softmax.easy", "Easy", 10, Status.PASSED)
        stage = StageResult("softmax", Status.FAILED, 20, (tough, easy))
        return replace(ALICE, stages=(stage,))

    mostly = [one(True)] * 8 + [one(False)] * 2 + [one(True, judged=False)] * 10
    assert "Tough Row softmax 8 of 10" in Page(_page(mostly)).text
    assert "Easy Row softmax" not in Page(_page(mostly)).text
    assert "Tough" not in Page(_page([*mostly, one(False)])).text


def test_stages_that_took_too_long_count_hidden_checks_too() -> None:
    text = Page(_page(EXAMPLE.submissions)).text
    assert "Attention scores: 1 submission reached a time limit" in text
    assert "no submission reached a time limit" in Page(_page([ALICE])).text


def test_points_fall_into_ten_ranges() -> None:
    results = [
        replace(ALICE, stages=(StageResult("gpu", Status.PASSED, 50, (check("g", "G", n),)),))
        for n in (0, 4.99, 5, 49.9, 50)
    ]
    found = bins(_summary(results), 50)
    assert [b.count for b in found] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (found[0].label, found[-1].label) == ("0 to under 5", "45 to 50")
    assert found[0].share == 1


def test_an_empty_class_and_a_course_without_points() -> None:
    text = Page(class_page(ClassSummary(), COURSE, TRUSTED)).text
    assert "0 submissions." in text
    assert "Submissions were trusted" in text
    free = Course("c", "C", tuple(replace(s, points=0) for s in COURSE.stages), COURSE.root)
    assert class_page(_summary([replace(ALICE, stages=())]), free, CONFINED)
    assert len(bins(ClassSummary(), 0)) == BINS


@given(st.lists(submissions(), max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_submissions_does_not_matter(
    results: list[SubmissionResult], shuffler: random.Random
) -> None:
    shuffled = list(results)
    shuffler.shuffle(shuffled)
    one, other = _summary(results), _summary(shuffled)
    assert one.mistakes == other.mistakes
    assert (one.stages, one.points, one.late) == (other.stages, other.points, other.late)


@given(st.lists(submissions(), max_size=4))
def test_every_page_is_whole_and_holds_only_our_elements(results: list[SubmissionResult]) -> None:
    page = Page(_page(results))
    assert set(page.tags) <= OURS | {"table", "thead", "tbody", "tr", "th", "td"}
    assert {name for name, _ in page.attributes} <= ATTRIBUTES | {"scope"}
    assert not page.values("href")


def test_a_large_class_takes_no_more_room_than_a_small_one() -> None:
    def size(count: int) -> int:
        results = (
            replace((ALICE, BOB, EVE)[n % 3], id=f"student {n}", chain=Chain(Status.PASSED))
            for n in range(count)
        )
        return len(repr(_summary(results)))

    assert size(10_000) < size(100) + 200  # the counts have more digits, and that is all


def test_the_example_looks_as_it_did() -> None:
    body = _page(EXAMPLE.submissions).partition("<body>")[2]
    looks.matches("class.html", body)
