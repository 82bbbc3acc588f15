from functools import cache

import pytest

from grader.record import CheckResult, StageResult, Status
from harness import exhaustive
from harness.devices import heads
from harness.suite.judging import judged

SPEED = {"gpu.speed_against_reference", "gpu.speed_against_cpu", "gpu.time_told"}

RIGHT = {
    "solution": heads.SOLUTION,
    **heads.RIGHT_HEADS,
    **heads.NAMING_HEADS,
    **{name: heads.with_timer(text) for name, text in heads.RIGHT_TIMERS.items()},
    **{name: heads.with_pick(text) for name, text in heads.RIGHT_PICKS.items()},
}
REMARKED = {
    **{name: (text, "placement") for name, text in heads.REMARKED_HEADS.items()},
    "cuda only": (heads.with_pick(heads.CUDA_ONLY), "pick_device"),
}
WRONG = {
    **heads.WRONG_HEADS,
    **{n: (heads.with_timer(text), check) for n, (text, check) in heads.WRONG_TIMERS.items()},
    **{n: (heads.with_pick(text), "pick_device") for n, text in heads.WRONG_PICKS.items()},
}


EVERY = 4
"""A run that is not whole judges every fourth of each kind."""


@cache
def results() -> dict[str, StageResult]:
    chosen = [n for kind in (RIGHT, REMARKED, WRONG) for n in exhaustive.some(kind, EVERY)]
    texts = RIGHT | {name: text for name, (text, _) in (WRONG | REMARKED).items()}
    return judged("gpu", {name: texts[name] for name in chosen})


def of(name: str) -> dict[str, CheckResult]:
    return {check.id.removeprefix("gpu."): check for check in results()[name].checks}


def test_every_answer_is_another_one() -> None:
    texts = [*RIGHT.values(), *(text for text, _ in (WRONG | REMARKED).values())]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", exhaustive.sampled([*RIGHT], EVERY))
def test_a_right_answer_gets_every_point_that_can_be_judged(name: str) -> None:
    assert {check.id for check in of(name).values() if check.status is Status.NOT_JUDGED} == SPEED
    assert {check.title: check.message for check in of(name).values() if check.message} == {}
    assert results()[name].points == 10


@pytest.mark.parametrize("name", exhaustive.sampled([*REMARKED], EVERY))
def test_a_remark_costs_nothing(name: str) -> None:
    assert results()[name].points == 10
    assert [key for key, check in of(name).items() if check.message] == [REMARKED[name][1]]


@pytest.mark.parametrize("name", exhaustive.sampled([*WRONG], EVERY))
def test_a_wrong_answer_fails_the_check_that_it_is_about(name: str) -> None:
    found = of(name)[WRONG[name][1]]
    assert found.status in {Status.FAILED, Status.ERROR}
    assert found.message
    assert results()[name].points < 10
