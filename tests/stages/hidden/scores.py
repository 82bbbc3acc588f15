"""Attention scores, the checks that students never see."""

import numpy as np
import pytest
import torch

from grader.subject import Subject
from grader.suite import Draw, Probe, expect
from stages.probes import scores as probes

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.check("Scores are the dot products, in float32 and float64", points=1)
def test_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.numbers(student, probe, torch.float32)
        expect.numbers(student, probe, torch.float64)


@pytest.mark.check("Queries and keys that were handed in stay as they were", points=1)
def test_untouched(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.untouched(student, probe)


@pytest.mark.check("One query, one key, d_k = 1, a batch of one", points=1)
def test_edges(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.edges):
        expect.numbers(student, probe)


@pytest.mark.check("Twice the query is twice the score; queries and keys have roles", points=1)
def test_bilinear(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        q, k = _pair(probe)
        (scores,) = expect.shape(student, probe, torch.float64)
        if not _close(_scores(student, probe, 2 * q, k), 2 * scores):
            expect.fail(probe, torch.float64, "twice the queries must give twice the scores")
        if not _close(_scores(student, probe, q, k + 3 * k.flip(-2)), scores + 3 * scores.flip(-1)):
            expect.fail(probe, torch.float64, "a sum of keys must give the sum of their scores")
        if not _close(_scores(student, probe, k, q), scores.mT):
            expect.fail(probe, torch.float64, "swapping q and k must swap rows and columns")


@pytest.mark.check("A batch item's scores depend on that item alone", points=1)
def test_batches(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.batches):
        q, k = _pair(probe)
        (before,) = expect.shape(student, probe, torch.float64)
        q[1:], k[1:] = 5 - q[1:], 7 * k[1:]
        after = _scores(student, probe, q, k)
        if not _close(after[0], before[0]):
            expect.fail(
                probe, torch.float64, "other items' queries and keys changed item 0's scores"
            )


@pytest.mark.check("Gradients flow back to queries and keys, and are right", points=1)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(student, probe)


@pytest.mark.check("Scores have the dtype of q and k, and half precision its accuracy", points=1)
def test_dtypes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        results = {dtype: expect.kept(student, probe, dtype) for dtype in DTYPES}
        expect.agree(probe, results[torch.float16], torch.float16)
        expect.agree(probe, results[torch.bfloat16], torch.bfloat16)


@pytest.mark.check("Queries and keys may be views of other tensors", points=0.5)
def test_views(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.views(student, probe)


@pytest.mark.check("The same queries and keys always give the same scores", points=0.5)
def test_repeatable(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.repeatable(student, probe)


def _pair(probe: Probe) -> tuple[torch.Tensor, torch.Tensor]:
    q, k = probe.tensors(torch.float64)
    assert isinstance(q, torch.Tensor)
    assert isinstance(k, torch.Tensor)
    return q, k


def _scores(student: Subject, probe: Probe, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    (scores,) = expect.answer(student, probe, [q.clone(), k.clone()], torch.float64)
    return scores


def _close(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and np.allclose(expect.array(a), expect.array(b), atol=1e-4)
