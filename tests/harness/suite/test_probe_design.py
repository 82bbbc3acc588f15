"""What every stage's suite must hold to, whatever the stage: rules for its probes and checks."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch

from grader import course as courses
from grader.course import Stage
from grader.record import Status
from grader.suite import Array, Function, Probe
from harness.suite.design import faults, probes_of
from harness.suite.judging import ROOT, judged

SUITES = ROOT / "tests/stages"
STAGES = [s for s in courses.load(ROOT).stages if (SUITES / "public" / f"{s.name}.py").is_file()]
each_stage = pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)


@each_stage
def test_probes_are_designed(stage: Stage) -> None:
    by_function = probes_of(importlib.import_module(f"stages.probes.{stage.name}"))
    assert by_function
    found = {name: faults(probes) for name, probes in by_function.items()}
    assert not any(found.values()), found


@each_stage
def test_right_answers_and_their_error_bounds_are_finite(stage: Stage) -> None:
    module = importlib.import_module(f"stages.probes.{stage.name}")
    designs = module.diagnostic(np.random.default_rng(2))
    for probe in [design for design in designs if isinstance(design, Probe)]:
        pairs = zip(probe.expected(torch.float32), probe.error(torch.float32), strict=True)
        for right, error in pairs:
            assert right.shape == error.shape, probe
            assert np.isfinite(right).all(), probe
            assert np.isfinite(error).all(), probe
            assert (error >= 0).all(), probe


@each_stage
def test_checks_add_up_to_the_stage_and_have_titles(stage: Stage) -> None:
    solution = (ROOT / "solutions" / f"{stage.name}.py").read_text(encoding="utf-8")
    checks = judged(stage.name, {"solution": solution})["solution"].checks
    titles = [check.title for check in checks]
    assert sum(check.max_points for check in checks) == stage.points
    assert all(title.strip() for title in titles)
    assert len(set(titles)) == len(titles)
    assert {check.hidden for check in checks} == {False, True}
    assert not [check for check in checks if check.status in {Status.FAILED, Status.ERROR}]


COMPARE = Function(
    name="compare",
    axes={"q": "... query d_k", "k": "... key d_k"},
    results={"scores": "... query key"},
    oracle=lambda q, k: q @ k.mT,
    error=lambda q, k: abs(q) @ abs(k).mT,
)
BATCHES = ((), (2,), (3, 2))


def _compare(q: Array, k: Array) -> Probe:
    return Probe(COMPARE, {"q": q, "k": k})


def _drawn(n_q: int, n_k: int, d_k: int, batches: tuple[tuple[int, ...], ...]) -> list[Probe]:
    rng = np.random.default_rng(3)
    return [
        _compare(rng.normal(size=(*batch, n_q, d_k)), rng.normal(size=(*batch, n_k, d_k)))
        for batch in batches
    ]


def test_designed_probes_break_no_rule() -> None:
    assert faults(_drawn(6, 4, 5, BATCHES)) == []
    assert faults([*_drawn(5, 5, 5, BATCHES), *_drawn(6, 4, 5, BATCHES)]) == []


@pytest.mark.parametrize(
    ("probes", "fault"),
    [
        pytest.param(_drawn(5, 5, 5, BATCHES), "different sizes", id="every axis equal"),
        pytest.param(_drawn(6, 6, 5, BATCHES), "different sizes", id="as many queries as keys"),
        pytest.param(_drawn(6, 5, 4, BATCHES), "no square", id="a whole root"),
        pytest.param(_drawn(6, 4, 5, BATCHES[:2]), "batch axes", id="one batch axis at most"),
        pytest.param(
            [_compare(np.ones((*batch, 6, 5)), np.ones((*batch, 4, 5))) for batch in BATCHES],
            "items that differ",
            id="batch items alike",
        ),
        pytest.param(
            [_compare(np.eye(5), np.eye(5)), *_drawn(6, 4, 5, BATCHES)],
            "same numbers",
            id="keys that equal the queries",
        ),
    ],
)
def test_a_suite_that_hides_mistakes_is_refused(probes: list[Probe], fault: str) -> None:
    (found,) = faults(probes)
    assert fault in found
