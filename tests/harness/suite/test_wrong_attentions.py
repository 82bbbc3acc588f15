from functools import cache

import pytest

from grader.record import StageResult, Status
from harness.suite.answers import Wrong
from harness.suite.judging import judged
from harness.suite.wrong_attentions import WRONG_ATTENTIONS

OF_MIX = ("mix_shapes", "mix_example", "mix_numbers", "convex")
each_wrong_attention = pytest.mark.parametrize("wrong", WRONG_ATTENTIONS, ids=lambda w: w.name)


@cache
def results() -> dict[str, StageResult]:
    return judged("mixing", {wrong.name: wrong.text for wrong in WRONG_ATTENTIONS})


def test_there_are_twenty_four() -> None:
    assert len({wrong.text for wrong in WRONG_ATTENTIONS}) == 24


@each_wrong_attention
def test_it_loses_points_and_hears_why(wrong: Wrong) -> None:
    result = results()[wrong.name]
    checks = {check.id: check for check in result.checks}
    found = checks[f"mixing.{wrong.check}"]
    assert found.status in {Status.FAILED, Status.ERROR}
    assert result.points < result.max_points
    for part in wrong.reason:
        assert part in found.message


@each_wrong_attention
def test_what_is_right_keeps_its_points(wrong: Wrong) -> None:
    checks = {check.id: check.status for check in results()[wrong.name].checks}
    assert {checks[f"mixing.{name}"] for name in OF_MIX} == {Status.PASSED}


@each_wrong_attention
def test_no_exception_is_of_our_own_making(wrong: Wrong) -> None:
    errors = [c.message for c in results()[wrong.name].checks if c.status is Status.ERROR]
    assert all("mixing.py, line" in message for message in errors)
