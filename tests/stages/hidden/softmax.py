"""Row softmax, the checks that students never see."""

import numpy as np
import pytest
import torch

from grader.subject import Subject
from grader.suite import Draw, expect
from stages.probes import softmax as probes

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.check("Weights agree with the formula in float32 and float64", points=4)
def test_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.numbers(student, probe, torch.float32)
        expect.numbers(student, probe, torch.float64)


@pytest.mark.check("One query, one key, a batch of one, equal scores", points=1)
def test_edges(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.edges):
        expect.numbers(student, probe)


@pytest.mark.check("Rows near 1e4, -1e4, 0 and 88 stay finite and right", points=3)
def test_extremes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.extremes):
        expect.numbers(student, probe)


@pytest.mark.check("A score of -inf gets weight 0, the others share the rest", points=2)
def test_masked(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.masked):
        expect.numbers(student, probe)


@pytest.mark.check("The scores that were handed in stay as they were", points=2)
def test_untouched(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.untouched(student, probe)


@pytest.mark.check("Gradients flow back to the scores and are right", points=2)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(student, probe)


@pytest.mark.check("Half precision stays half precision, to its own accuracy", points=1)
def test_dtypes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        results = {dtype: expect.kept(student, probe, dtype) for dtype in DTYPES}
        expect.agree(probe, results[torch.bfloat16], torch.bfloat16)


@pytest.mark.check("A shift of a row changes nothing; a larger score weighs more", points=1)
def test_shift_and_order(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        (scores,) = probe.tensors(torch.float64)
        assert isinstance(scores, torch.Tensor)
        shift = torch.arange(scores.shape[-2], dtype=torch.float64).unsqueeze(-1)
        (weights,) = expect.answer(student, probe, [scores], torch.float64)
        (shifted,) = expect.answer(student, probe, [scores + shift], torch.float64)
        if not np.allclose(expect.array(weights), expect.array(shifted), atol=1e-12):
            expect.fail(probe, torch.float64, "adding a number to a whole row changed its weights")
        if not _same_order(scores, weights):
            expect.fail(probe, torch.float64, "a larger score must get a larger weight")


@pytest.mark.check("Scores may be a view of another tensor", points=0.5)
def test_views(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.views(student, probe)


@pytest.mark.check("The same scores always give the same weights", points=0.5)
def test_repeatable(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.repeatable(student, probe)


def _same_order(scores: torch.Tensor, weights: torch.Tensor) -> bool:
    return bool((scores.argsort(dim=-1) == weights.argsort(dim=-1)).all())
