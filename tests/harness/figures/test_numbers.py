import math

import numpy as np
import pytest
import torch

from grader.figures.numbers import MOST_NUMBERS, nested, rounded


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"), (-0.0, "0"), (7, "7"), (-2, "−2"), (1024, "1,024"), (-1_048_576, "−1,048,576"),
        (0.5, "0.5"), (1.625, "1.625"), (-0.125, "−0.125"), (0.1 + 0.2, "0.3"), (1 - 1e-15, "1"),
        (2 / 3, "0.67"), (-0.3533992, "−0.35"), (0.99998, "1.00"), (0.0051234, "0.01"),
        (0.0049123, "4.9·10⁻³"), (-1.67e-5, "−1.7·10⁻⁵"), (3e-14, "3.0·10⁻¹⁴"),
        (1189.81, "1,190"), (999.994, "999.994"), (math.inf, "∞"),
        (-math.inf, "−∞"), (math.nan, "NaN"),
    ],
)  # fmt: skip
def test_the_rule_of_rounding(value: float, shown: str) -> None:
    assert rounded(value) == shown


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.0, 2.5]], dtype=np.float32),
        torch.tensor([[1.0, 2.5]], requires_grad=True),
        torch.tensor([[1.0, 2.5]], dtype=torch.bfloat16),
        [[1, 2.5]],
        ((1.0, 2.5),),
    ],
)
def test_arrays_tensors_and_lists_become_lists(value: object) -> None:
    assert nested(value) == [[1, 2.5]]


def test_what_json_has_no_number_for_becomes_text() -> None:
    assert nested(np.array([np.nan, np.inf, -np.inf])) == ["NaN", "Infinity", "-Infinity"]


@pytest.mark.parametrize("value", [None, "text", [[None]], [1j], object()])
def test_what_is_no_number_is_refused_by_name(value: object) -> None:
    with pytest.raises(TypeError, match="expected a tensor of real numbers, got"):
        nested(value)


@pytest.mark.parametrize("value", [np.zeros(MOST_NUMBERS + 1), [0] * (MOST_NUMBERS + 1)])
def test_too_many_numbers_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="more than a figure can show"):
        nested(value)
