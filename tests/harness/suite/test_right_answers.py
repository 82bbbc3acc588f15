from collections.abc import Mapping

import pytest

from grader.record import Status
from harness.suite.judging import judged
from harness.suite.right_answers import RIGHT_ATTENTIONS, RIGHT_RESIDUALS
from harness.suite.wrong_attentions import HEAD


@pytest.mark.parametrize(
    ("stage", "answers"), [("mixing", RIGHT_ATTENTIONS), ("residual", RIGHT_RESIDUALS)]
)
def test_right_answers_get_full_marks_and_no_remark(stage: str, answers: Mapping[str, str]) -> None:
    said = {
        (name, check.id): check.message
        for name, result in judged(stage, answers).items()
        for check in result.checks
        if check.status is not Status.PASSED or check.message
    }
    assert said == {}


def test_fused_attention_is_refused_where_attention_is_to_be_built() -> None:
    fused = HEAD + "    return torch.nn.functional.scaled_dot_product_attention(q, k, v)\n"
    result = judged("mixing", {"fused": fused})["fused"]
    lost = [check for check in result.checks if check.status is not Status.PASSED]
    assert {"mixing.attention_shapes", "mixing.attention_numbers"} <= {c.id for c in lost}
    assert all("built-in fused attention is refused here" in check.message for check in lost)
    assert result.points == 4
