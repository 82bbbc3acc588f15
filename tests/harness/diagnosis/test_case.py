"""The figures that sentences quote."""

import numpy as np

from grader.diagnosis.case import quoted, span


def test_a_template_is_filled_or_left_out() -> None:
    assert quoted("your rows sum to {row_sums}", {"row_sums": "3"}) == "your rows sum to 3"
    assert quoted("your rows sum to {row_sums}", {"total": "3"}) == ""
    assert quoted("", {}) == ""


def test_many_numbers_are_told_as_one_or_as_a_span() -> None:
    assert span(np.array([1.0, 1 + 1e-9])) == "1"
    assert span(np.array([0.5, 2.0, 1.0])) == "0.5 to 2"
    assert span(np.array([1.0, np.nan])) == "numbers that are not all finite"
