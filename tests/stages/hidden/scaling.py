"""Scaling, the checks that students never see."""

import numpy as np
import pytest
import torch

from grader.subject import Subject
from grader.suite import Array, Draw, Probe, expect
from stages.oracle.softmax import row_softmax
from stages.probes import scaling as probes

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.check("Scores are divided by √d_k for any d_k, in float32 and float64", points=3)
def test_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.numbers(student, probe, torch.float32)
        # torch.sqrt(torch.tensor(d_k)) is a float32 root, and right code.
        expect.numbers(student, probe, torch.float64, accuracy=torch.float32)


@pytest.mark.check("The scores that were handed in stay as they were", points=1)
def test_untouched(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.numbers), *draw(probes.edges)]:
        expect.untouched(student, probe)


@pytest.mark.check("The scale depends on d_k, and on nothing else", points=2)
def test_only_d_k(student: Subject, draw: Draw) -> None:
    same, growing = draw(probes.same_d_k), draw(probes.same_scores)
    scales = [_scale(student, probe) for probe in same]
    for probe, scale in zip(same, scales, strict=True):
        if not np.isclose(scale, scales[0], rtol=1e-6):
            text = f"scaled by {scale:.4g}; other scores, with the same d_k, by {scales[0]:.4g}"
            expect.fail(probe, torch.float64, text)
    scales = [abs(_scale(student, probe)) for probe in growing]
    for probe, before, scale in zip(growing[1:], scales, scales[1:], strict=False):
        if not scale < before:
            text = f"scaled by {scale:.4g}; a smaller d_k gave {before:.4g}, and must give more"
            expect.fail(probe, torch.float64, text)


@pytest.mark.check("Softmax does not saturate as d_k grows from 4 to 1024", points=2)
def test_saturation(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.saturating):
        (scaled,) = expect.shape(student, probe, torch.float64)
        weights = row_softmax(expect.array(scaled))
        n_k = weights.shape[-1]
        _near(probe, "an entropy", _entropy(weights), np.log(n_k) - 0.5, 0.25)
        _near(probe, "a gradient", _slope(weights), np.sqrt(np.e / n_k), 0.03)


@pytest.mark.check("d_k = 1, one score, a batch of one, scores of 0", points=1)
def test_edges(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.edges):
        expect.numbers(student, probe)


@pytest.mark.check("Gradients flow back to the scores and are right", points=1)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(student, probe)


@pytest.mark.check("Half precision stays half precision, to its own accuracy", points=1)
def test_dtypes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        results = {dtype: expect.kept(student, probe, dtype) for dtype in DTYPES}
        expect.agree(probe, results[torch.float16], torch.float16)
        expect.agree(probe, results[torch.bfloat16], torch.bfloat16)


@pytest.mark.check("Scores may be a view of another tensor", points=0.5)
def test_views(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.views(student, probe)


@pytest.mark.check("The same scores and d_k always give the same result", points=0.5)
def test_repeatable(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.repeatable(student, probe)


def _scale(student: Subject, probe: Probe) -> float:
    """What the scores were multiplied by; one number for all of them, or the check fails."""
    (scaled,) = expect.shape(student, probe, torch.float64)
    ratio = expect.array(scaled) / probe.arguments["scores"]
    if not np.allclose(ratio, ratio.flat[0], rtol=1e-6):
        expect.fail(probe, torch.float64, "every score must be scaled by the same number")
    return float(ratio.flat[0])


def _near(probe: Probe, what: str, value: float, middle: float, width: float) -> None:
    """Check against what many independent scores of mean 0 and variance 1 give.

    Their exponentials are log-normal with E[exp(s)] = √e, E[s exp(s)] = √e and E[exp(2s)] = e².
    So a row of n weights has entropy log n - 1/2 and Σ a² = e / n; both widths are six standard
    deviations of what random queries and keys of d_k = 4 give.
    """
    if not abs(value - middle) <= width:
        text = (
            f"a row's softmax has {what} of {value:.3g} on average; "
            f"it must stay near {middle:.3g}, whatever d_k is"
        )
        expect.fail(probe, torch.float64, text)


def _entropy(weights: Array) -> float:
    """Entropy of a row in nats, mean over the rows; 0 where one weight is 1."""
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return float(-(weights * logs).sum(axis=-1).mean())


def _slope(weights: Array) -> float:
    """Norm of a row's Jacobian, diag(a) - a aᵀ, mean over the rows; 0 where one weight is 1."""
    squares, cubes = (weights**2).sum(axis=-1), (weights**3).sum(axis=-1)
    return float(np.sqrt(np.maximum(squares - 2 * cubes + squares**2, 0)).mean())
