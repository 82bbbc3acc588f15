"""The name that was probably meant."""

import pytest

from grader.diagnosis.spelling import suggested

SOURCE = "def f(scores):\n    result = scores * 2  # a resolt\n    return resutl\n"

MEANT = {
    "NameError: name 'resutl' is not defined": "`result`",
    "NameError: name 'Scores' is not defined": "`scores`",
    "AttributeError: module 'torch' has no attribute 'matmull'": "`matmul`",
    "AttributeError: module 'torch.nn' has no attribute 'linear'": "`Linear`",
    "AttributeError: module 'torch.cuda' has no attribute 'is_avaliable'": "`is_available`",
    "AttributeError: 'Tensor' object has no attribute 'tranpose'": "`transpose`",
    "AttributeError: 'Head' object has no attribute 'scorse'": "`scores`",
    "TypeError: sum() got an unexpected keyword argument 'keep_dim'": "`keepdim`",
}

UNKNOWN = (
    "NameError: name 'zebra' is not defined",
    "AttributeError: module 'torch' has no attribute 'xyzzy'",
    "ValueError: result is not defined",
)


@pytest.mark.parametrize("text", MEANT)
def test_the_nearest_name_is_asked_for(text: str) -> None:
    assert suggested(text, SOURCE) == f"Did you mean {MEANT[text]}?"


@pytest.mark.parametrize("text", UNKNOWN)
def test_nothing_near_is_not_asked_for(text: str) -> None:
    assert suggested(text, SOURCE) == ""
