"""How many judge at a time, where nobody said."""

import pytest

from grader.batch.jobs import PAYS, number


@pytest.mark.parametrize(
    ("submissions", "wanted"), [(1, 1), (24, 1), (PAYS, 1), (PAYS + 1, 2), (3 * PAYS, 3), (9999, 4)]
)
def test_one_more_for_as_many_submissions_as_pay_for_it(submissions: int, wanted: int) -> None:
    assert number(0, submissions, processors=4) == wanted


def test_what_was_asked_for_holds() -> None:
    assert number(7, 9999, processors=4) == 7
    assert number(7, 30, processors=1) == 7


def test_nobody_starts_what_has_nothing_to_do() -> None:
    assert number(7, 3, processors=4) == 3
    assert number(0, 0, processors=4) == number(7, 0, processors=4) == 1
