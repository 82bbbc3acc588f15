"""The speed checks, with the CPU in the part of the accelerator and with little work."""

from pathlib import Path

import numpy as np
import pytest
import torch

from grader.course import CourseError, load
from grader.devices import chain, contest
from grader.record import CheckResult, StageResult, Status
from grader.suite import Probe
from harness.devices import heads
from harness.suite.judging import ROOT, judged
from stages.probes import gpu as probes

SPEED = ("speed_against_reference", "speed_against_cpu", "time_told")


def of(result: StageResult) -> dict[str, CheckResult]:
    return {check.id.removeprefix("gpu."): check for check in result.checks}


@pytest.fixture(scope="module")
def results() -> dict[str, StageResult]:
    def small(rng: np.random.Generator) -> list[Probe]:
        return [probes.random(rng, token=200, d_model=64, d_k=64)]

    answers = {
        "right": heads.SOLUTION,
        "slow": heads.THRICE,
        "no clock": heads.with_timer("return 1e-9"),
        "stale": heads.with_forward(
            "if not hasattr(self, 'kept') or self.kept.shape != v.shape:\n"
            f"    {heads.SCORES}    self.kept = scores.softmax(-1) @ v\n"
            "return self.kept"
        ),
        "broken": heads.with_forward("return x.nothing"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "found", lambda _: torch.device("cpu"))
        patch.setattr(contest, "LEAST_SECONDS", 0.01)
        patch.setattr(probes, "large", small)
        patch.setattr(probes, "CLOCKS", 30)
        return judged("gpu", answers)


def test_each_is_judged_by_its_ratio(results: dict[str, StageResult]) -> None:
    found = {name: of(result)["speed_against_reference"] for name, result in results.items()}
    assert {name: check.status for name, check in found.items()} == {
        "right": Status.PASSED,
        "slow": Status.FAILED,
        "no clock": Status.PASSED,
        "stale": Status.FAILED,
        "broken": Status.ERROR,
    }
    assert "times as fast as the reference on cpu" in found["right"].message
    assert "expected at least 0.5 times" in found["slow"].message
    assert "kept from call to call" in found["stale"].message


def test_what_time_forward_says_is_held_against_another_clock(
    results: dict[str, StageResult],
) -> None:
    found = {name: of(result)["time_told"] for name, result in results.items()}
    assert found["right"].status is Status.PASSED
    assert found["no clock"].status is Status.FAILED
    assert "time_forward gave 1e-09 s for a forward pass on cpu" in found["no clock"].message


def test_the_record_says_what_it_was_judged_on(results: dict[str, StageResult]) -> None:
    told = {name: check.device for name, check in of(results["right"]).items() if check.device}
    assert set(told) == set(SPEED)
    assert {device.where for device in told.values()} == {"cpu"}
    assert not any(check.device for check in results["broken"].checks)


def test_an_accelerator_that_is_no_faster_than_the_cpu_is_told(
    results: dict[str, StageResult],
) -> None:
    found = of(results["right"])["speed_against_cpu"]
    assert found.status is Status.FAILED
    assert "as fast as itself on the CPU" in found.message
    assert "expected at least 2 times" in found.message


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
def test_without_an_accelerator_speed_is_neither_gained_nor_lost() -> None:
    answers = {
        "right": heads.SOLUTION,
        "broken": heads.SOLUTION.replace("super().__init__()", "raise ValueError"),
    }
    for result in judged("gpu", answers).values():
        assert [of(result)[name].status for name in SPEED] == [Status.NOT_JUDGED] * 3
        assert [of(result)[name].reason for name in SPEED] == ["speed on an accelerator"] * 3


def test_the_ratios_are_the_course_s() -> None:
    assert dict(load(ROOT).stage("gpu").ratios) == {"reference": 0.5, "cpu": 2}
    assert dict(load(ROOT).stages[0].ratios) == {}


@pytest.mark.parametrize("ratios", ['{ cpu = "fast" }', "{ cpu = 0 }", "{ cpu = true }", "2"])
def test_a_ratio_that_is_no_positive_number_is_refused(tmp_path: Path, ratios: str) -> None:
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    changed = text.replace("ratios = { reference = 0.5, cpu = 2.0 }", f"ratios = {ratios}")
    assert changed != text
    (tmp_path / "course.toml").write_text(changed, encoding="utf-8")
    with pytest.raises(CourseError, match="ratios must be"):
        load(tmp_path)
