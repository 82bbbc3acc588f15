"""Mixing and attention, the checks that students never see."""

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.subject import Subject
from grader.suite import Draw, Probe, expect
from stages.probes import mixing as probes

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.check("Mixed values agree with the formula, half precision included", points=1)
def test_mix_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.mix_numbers):
        for dtype in DTYPES:
            expect.numbers(student, probe, dtype)


@pytest.mark.check("A mix is a weighted average: it picks, averages, and invents nothing", points=1)
def test_convex(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.convex):
        expect.numbers(student, probe)
    for probe in draw(probes.mix_shapes):
        _inside(student, probe)


@pytest.mark.check("Attention agrees with the formula in float32 and float64", points=2)
def test_attention_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.attention_numbers):
        expect.numbers(student, probe, torch.float32)
        # torch.sqrt(torch.tensor(d_k)) is a float32 root, and right code.
        expect.numbers(student, probe, torch.float64, accuracy=torch.float32)


@pytest.mark.check("Attention is right where axes have equal sizes, too", points=1)
def test_self_attention(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.self_attention):
        expect.numbers(student, probe)


@pytest.mark.check("Scores near 1e4 and -1e4 give finite, right outputs", points=1)
def test_extremes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.extremes):
        expect.numbers(student, probe, torch.float32)
        expect.numbers(student, probe, torch.float64, accuracy=torch.float32)


@pytest.mark.check("The order of tokens carries no meaning: outputs follow their queries", points=1)
def test_permutations(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.attention_shapes), *draw(probes.self_attention)]:
        (output,) = expect.shape(student, probe, torch.float64)
        _follows_queries(student, probe, output)
        _ignores_order_of_keys(student, probe, output)


@pytest.mark.check("Gradients flow back to weights, queries, keys and values", points=1)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(student, probe)


@pytest.mark.check("The tensors that were handed in stay as they were", points=1)
def test_untouched(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.mix_shapes), *draw(probes.attention_shapes)]:
        expect.untouched(student, probe)


@pytest.mark.check("Results keep the dtype and the device of the arguments", points=1)
def test_dtypes(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.mix_shapes), *draw(probes.attention_shapes)]:
        for dtype in DTYPES:
            expect.kept(student, probe, dtype)


@pytest.mark.check("One query, one key, d_k = 1, a batch of one, queries of 0", points=0.5)
def test_edges(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.edges):
        expect.numbers(student, probe)


@pytest.mark.check("Transposed views as arguments, and a second call, change nothing", points=0.5)
def test_views_and_repeats(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.mix_shapes), *draw(probes.attention_shapes)]:
        expect.views(student, probe)
        expect.repeatable(student, probe)


def _inside(student: Subject, probe: Probe) -> None:
    """No mix lies outside the range of the values, feature by feature."""
    (mixed,) = expect.shape(student, probe, torch.float64)
    _, v = probe.rounded(torch.float64)
    assert isinstance(v, np.ndarray)
    slack = 1e-5  # rounding costs its own check
    low, high = v.min(axis=-2, keepdims=True) - slack, v.max(axis=-2, keepdims=True) + slack
    got = mixed.detach().numpy()
    if not ((low <= got) & (got <= high)).all():
        expect.fail(probe, torch.float64, "a mixed value lies outside the range of the values")


def _follows_queries(student: Subject, probe: Probe, output: Tensor) -> None:
    """Queries in another order: the same outputs, in that order."""
    q, k, v = _tensors(probe)
    order = torch.arange(q.shape[-2]).roll(1)
    (moved,) = expect.answer(student, probe, [q[..., order, :], k, v], torch.float64)
    if not _same(output[..., order, :], moved):
        expect.fail(
            probe,
            torch.float64,
            "with the queries in another order, the outputs did not just change places: "
            "what a query gets must not depend on where it stands",
        )


def _ignores_order_of_keys(student: Subject, probe: Probe, output: Tensor) -> None:
    """Keys in another order, their values along with them: nothing changes."""
    q, k, v = _tensors(probe)
    order = torch.arange(k.shape[-2]).roll(1)
    (moved,) = expect.answer(student, probe, [q, k[..., order, :], v[..., order, :]], torch.float64)
    if not _same(output, moved):
        expect.fail(
            probe,
            torch.float64,
            "with keys and values in another order (the same for both), the output changed: "
            "what a token gives must not depend on where it stands",
        )


def _tensors(probe: Probe) -> list[Tensor]:
    return [arg for arg in probe.tensors(torch.float64) if isinstance(arg, Tensor)]


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(((a - b).abs() <= 1e-5).all())
