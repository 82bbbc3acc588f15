from functools import cache

import pytest

from grader.record import StageResult, Status
from harness.suite.answers import Wrong
from harness.suite.judging import judged
from harness.suite.wrong_residuals import WRONG_RESIDUALS

each_wrong_residual = pytest.mark.parametrize("wrong", WRONG_RESIDUALS, ids=lambda w: w.name)


@cache
def results() -> dict[str, StageResult]:
    return judged("residual", {wrong.name: wrong.text for wrong in WRONG_RESIDUALS})


@each_wrong_residual
def test_it_loses_points_and_hears_why(wrong: Wrong) -> None:
    result = results()[wrong.name]
    found = {check.id: check for check in result.checks}[f"residual.{wrong.check}"]
    assert found.status in {Status.FAILED, Status.ERROR}
    assert result.points < result.max_points
    for part in wrong.reason:
        assert part in found.message


@each_wrong_residual
def test_no_exception_is_of_our_own_making(wrong: Wrong) -> None:
    errors = [c.message for c in results()[wrong.name].checks if c.status is Status.ERROR]
    assert all("residual.py, line" in message for message in errors)
