"""Projections, the checks that students never see."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from grader.subject import Subject
from grader.suite import Array, Draw, Probe, expect
from stages.probes import projection as probes

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.check("project is x times the weight matrix, in float32 and float64", points=1)
def test_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.numbers(student, probe, torch.float32)
        expect.numbers(student, probe, torch.float64)


@pytest.mark.check("Queries, keys and values each come from their own weights, in order", points=1)
def test_own_weights(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.own_weights):
        expect.numbers(student, probe, torch.float32)
        expect.numbers(student, probe, torch.float64)


@pytest.mark.check("Tokens and weights that were handed in stay as they were", points=1)
def test_untouched(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.numbers), *draw(probes.own_weights)]:
        expect.untouched(student, probe)


@pytest.mark.check("One token, one feature, one column, a batch of one", points=1)
def test_edges(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.edges):
        expect.numbers(student, probe)


@pytest.mark.check("Projecting is linear: sums stay sums, and zero stays zero", points=1)
def test_linear(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        x, *weights = probe.tensors(torch.float64)
        assert isinstance(x, torch.Tensor)
        f = partial(_results, student, probe, weights)
        if f(0 * x).any():
            expect.fail(probe, torch.float64, "with x = 0 the result must be 0: there is no bias")
        y = 2 * x.flip(-2) + 3
        if not np.allclose(f(x) + f(y), f(x + y), atol=1e-4):
            expect.fail(
                probe, torch.float64, "the result for x + y must be those of x and y, added"
            )


@pytest.mark.check("Gradients flow back to x and to every weight, and are right", points=1)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(student, probe)


@pytest.mark.check("The result has the dtype of x, and half precision its own accuracy", points=1)
def test_dtypes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        results = {dtype: expect.kept(student, probe, dtype) for dtype in DTYPES}
        expect.agree(probe, results[torch.float16], torch.float16)
        expect.agree(probe, results[torch.bfloat16], torch.bfloat16)


@pytest.mark.check("Tokens and weights may be views of other tensors", points=0.5)
def test_views(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.views(student, probe)


@pytest.mark.check("The same tokens and weights always give the same result", points=0.5)
def test_repeatable(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.repeatable(student, probe)


def _results(student: Subject, probe: Probe, weights: list[Any], x: torch.Tensor) -> Array:
    """All numbers of the result, one after the other."""
    own = [value.clone() for value in (x, *weights)]  # whether they are changed is asked elsewhere
    parts = expect.answer(student, probe, own, torch.float64)
    return np.concatenate([expect.array(part).ravel() for part in parts])
