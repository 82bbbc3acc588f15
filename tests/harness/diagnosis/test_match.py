"""Matching on cells made by hand: what explains what, and what never does."""

import numpy as np

from grader.diagnosis.cells import Cell, Place, numbers, same
from grader.diagnosis.match import Known, matches, nearest

RIGHT = np.arange(12.0).reshape(3, 4) + 1


def call(number: int, aspect: str = "y") -> Place:
    return Place("f", f"call {number}", aspect)


def known(name: str, cells: dict[Place, Cell]) -> Known:
    return Known(name, "f", (name,), cells)


DOUBLE, HALF = numbers(2 * RIGHT, RIGHT), numbers(RIGHT / 2, RIGHT)
CHANGED = Cell("fact", "x")
SPOT = Place("f", "arguments", "changed")
RAISES = Cell("raised", "RuntimeError: no")
BANK = [
    known("double", {call(0): DOUBLE, call(1): DOUBLE}),
    known("half", {call(0): HALF, call(1): HALF}),
    known("changes", {SPOT: CHANGED}),
    known("raises", {call(0, "raised"): RAISES, call(1): DOUBLE}),
]


def test_rounding_does_not_matter_and_small_mistakes_do() -> None:
    off = 1e-9
    nearly = numbers(2 * RIGHT * (1 + 1e-12), RIGHT)
    assert same(nearly, DOUBLE)
    assert not same(numbers(RIGHT * (1 + off), RIGHT), numbers(RIGHT * (1 + 3 * off), RIGHT))
    assert same(numbers(RIGHT * (1 + off), RIGHT), numbers(RIGHT * (1 + 1.01 * off), RIGHT))


def test_a_smaller_dtype_matches_itself_however_it_was_rounded() -> None:
    third = RIGHT / 3
    up = np.nextafter(third.astype(np.float32), np.float32(9)).astype(np.float64)
    down = third.astype(np.float32).astype(np.float64)
    assert same(numbers(up, third), numbers(down, third))
    assert not same(numbers(up, third), numbers(third * (1 + 1e-7), third))


def test_nan_equals_nan_and_nothing_else() -> None:
    hole = RIGHT.copy()
    hole[0, 0] = np.nan
    assert same(numbers(hole, RIGHT), numbers(hole, RIGHT))
    assert not same(numbers(hole, RIGHT), DOUBLE)


def test_a_mistake_explains_what_is_wrong_in_its_way() -> None:
    assert matches({call(0): DOUBLE, call(1): DOUBLE}, "f", BANK) == ("double",)


def test_it_explains_nothing_where_the_answer_is_right() -> None:
    assert matches({call(0): DOUBLE}, "f", BANK) == ()


def test_two_mistakes_may_explain_together() -> None:
    both = {call(0): HALF, call(1): HALF, SPOT: CHANGED}
    assert set(matches(both, "f", BANK)) == {"half", "changes"}


def test_a_rest_that_nothing_explains_is_no_match() -> None:
    rest = {call(0): DOUBLE, call(1): DOUBLE, call(2): HALF}
    assert matches(rest, "f", BANK) == ()
    found = nearest(rest, "f", BANK)
    assert found is not None
    assert found[0].id == "double"
    assert found[1] == {call(0), call(1)}


def test_an_exception_in_other_words_matches_only_beside_equal_numbers() -> None:
    other = Cell("raised", "ValueError: neither")
    assert matches({call(0, "raised"): other, call(1): DOUBLE}, "f", BANK) == ("raises",)
    assert matches({call(0, "raised"): other}, "f", BANK[3:]) == ()


def test_slight_differences_are_forgotten_beside_others() -> None:
    slight = numbers(RIGHT * (1 + 1e-8), RIGHT)
    assert slight.slight
    mine = {call(0): DOUBLE, call(1): DOUBLE, call(5): slight}
    assert matches(mine, "f", BANK) == ("double",)


def test_less_than_half_is_not_near() -> None:
    mine = {call(n): (DOUBLE if n < 2 else HALF) for n in range(5)}
    assert nearest(mine, "f", [known("double", {call(0): DOUBLE, call(1): DOUBLE})]) is None


def test_luck_with_one_number_is_not_near() -> None:
    assert nearest({call(0): DOUBLE, call(9): HALF}, "f", [known("one", {call(0): DOUBLE})]) is None
