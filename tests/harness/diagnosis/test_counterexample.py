"""Shrinking keeps an answer wrong, and shows what went in, yours and expected."""

from typing import Any

import numpy as np
import torch

from grader.diagnosis.counterexample import MAX_CALLS, shown, shrunk
from grader.suite import Function, Probe

PAIR = Function(
    "pair",
    {"a": "... row column", "b": "... row column", "n": ""},
    {"sum": "... row column"},
    lambda a, b, n: a + n * b,
    lambda a, b, n: abs(a) + n * abs(b),
)


class Answer:
    def __init__(self, function: Any) -> None:
        self.calls = 0
        self._function = function

    def pair(self, *args: Any) -> Any:
        self.calls += 1
        return self._function(*args)


def probe(*size: int) -> Probe:
    rng = np.random.default_rng(1)
    return Probe(PAIR, {"a": rng.normal(size=size), "b": rng.normal(size=size), "n": 3})


def test_axes_and_sizes_go_and_the_failure_stays() -> None:
    answer = Answer(lambda a, b, n: a - n * b)
    found = shrunk(answer, probe(2, 3, 6, 5))  # type: ignore[arg-type]
    assert found is not None
    small, got = found
    assert small.expected(torch.float64)[0].shape == got.shape
    assert got.ndim == 2
    assert max(got.shape) <= 2
    assert answer.calls <= MAX_CALLS + 2


def test_what_only_a_larger_input_shows_keeps_its_size() -> None:
    answer = Answer(lambda a, b, n: a + n * b + (a.shape[-1] > 3))
    found = shrunk(answer, probe(6, 5))  # type: ignore[arg-type]
    assert found is not None
    assert found[1].shape[-1] == 4


def test_a_right_answer_and_one_that_raises_have_none() -> None:
    assert shrunk(Answer(lambda a, b, n: a + n * b), probe(6, 5)) is None  # type: ignore[arg-type]
    assert shrunk(Answer(lambda a, b, n: 1 / 0), probe(6, 5)) is None  # type: ignore[arg-type] # noqa: ARG005


def test_it_is_shown_with_names_and_at_most_four_by_four() -> None:
    found = shrunk(Answer(lambda a, b, n: a - n * b), probe(6, 5))  # type: ignore[arg-type]
    assert found is not None
    text = shown(*found)
    assert "pair(a, b, n)" in text
    assert "n = 3" in text
    assert "yours" in text
    assert "expected" in text
    assert "row 0" in text
