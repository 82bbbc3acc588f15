"""The residual stream, the checks that students never see."""

import pytest
import torch

from grader.subject import Subject
from grader.suite import Draw, Probe, expect
from stages.probes import residual as probes

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@pytest.mark.check("The sum is right in every dtype, half precision included", points=1)
def test_add_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.add_numbers):
        for dtype in DTYPES:
            expect.numbers(student, probe, dtype)


@pytest.mark.check(
    "Unequal shapes raise ValueError, even where PyTorch would stretch one", points=1
)
def test_unequal_shapes(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.stretched), *draw(probes.misfits)]:
        expect.raises(student, probe, ValueError)


@pytest.mark.check("Where there is nothing to add, x and its gradient pass unchanged", points=1)
def test_nothing_to_add(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.nothing_to_add):
        expect.numbers(student, probe)
        _passes_its_gradient(student, probe)


@pytest.mark.check("The block agrees with the formula in float32 and float64", points=1)
def test_block_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.block_numbers):
        expect.numbers(student, probe, torch.float32)
        # torch.sqrt(torch.tensor(d_k)) is a float32 root, and right code.
        expect.numbers(student, probe, torch.float64, accuracy=torch.float32)


@pytest.mark.check("W_O turns the mixed values into the update", points=0.5)
def test_output_weights(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.output_weights):
        expect.numbers(student, probe)


@pytest.mark.check("Gradients flow back to the stream, the update and all four weights", points=1)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(student, probe)


@pytest.mark.check("The tensors that were handed in stay as they were", points=1)
def test_untouched(student: Subject, draw: Draw) -> None:
    for make in (probes.add_shapes, probes.block_shapes, probes.nothing_to_add):
        for probe in draw(make):
            expect.untouched(student, probe)


@pytest.mark.check("The stream keeps its dtype and its device", points=0.5)
def test_dtypes(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.add_shapes), *draw(probes.block_shapes)]:
        for dtype in DTYPES:
            expect.kept(student, probe, dtype)


@pytest.mark.check("One token, one feature, d_k = 1, d_v = 1, a batch of one", points=0.5)
def test_edges(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.edges):
        expect.numbers(student, probe)


@pytest.mark.check("Transposed views as arguments, and a second call, change nothing", points=0.5)
def test_views_and_repeats(student: Subject, draw: Draw) -> None:
    for probe in [*draw(probes.add_shapes), *draw(probes.block_shapes)]:
        expect.views(student, probe)
        expect.repeatable(student, probe)


def _passes_its_gradient(student: Subject, probe: Probe) -> None:
    """What the next block asks for reaches this one's x as it is: the way around the block."""
    x, *others = probe.tensors(torch.float64)
    assert isinstance(x, torch.Tensor)
    (stream,) = expect.answer(student, probe, [x.requires_grad_(), *others], torch.float64)
    if stream.requires_grad:
        stream.sum().backward()  # type: ignore[no-untyped-call]
    if x.grad is None or not torch.allclose(x.grad, torch.ones_like(x)):
        expect.fail(probe, torch.float64, "the gradient for x must pass unchanged, and did not")
