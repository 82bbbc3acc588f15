"""Running on an accelerator, the checks that a learner may read."""

from typing import TypeAlias

import pytest
import torch

from grader.subject import Subject
from grader.suite import Draw, Mismatch, Remark, expect
from stages.probes import gpu as probes

Shapes: TypeAlias = dict[str, tuple[int, ...]]
"""A parameter's name to its shape."""


@pytest.mark.check("The parameters are W_Q, W_K and W_V, each (d_k, d_model), no bias", points=1)
def test_parameters(student: Subject) -> None:
    for d_model, d_k in probes.SIZES:
        head = student.SingleHeadAttention(d_model, d_k)
        if not hasattr(head, "parameters"):
            raise Mismatch(
                f"SingleHeadAttention({d_model}, {d_k}) is {expect.kind_of(head)}; "
                "expected an nn.Module"
            )
        got: Shapes = {name: tuple(value.shape) for name, value in head.parameters().items()}
        wanted: Shapes = {f"{name}.weight": (d_k, d_model) for name in probes.WEIGHTS}
        if got != wanted:
            raise Mismatch(
                f"SingleHeadAttention(d_model={d_model}, d_k={d_k}) has the parameters\n"
                f"{_listed(got)}\nexpected are exactly\n{_listed(wanted)}"
            )


def _listed(parameters: Shapes) -> str:
    return "\n".join(f"    {name}  {shape}" for name, shape in parameters.items()) or "    none"


@pytest.mark.check("The output has a row for every token, with 0, 1 and 2 batch axes", points=0.5)
def test_shapes(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.shapes):
        expect.shape(probes.as_function(student), probe)


@pytest.mark.check("The output of the worked example", points=0.5)
def test_worked_example(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.worked):
        expect.numbers(probes.as_function(student), probe)


@pytest.mark.check("pick_device finds the accelerator, and falls back to the CPU", points=1)
def test_pick_device(student: Subject, remark: Remark) -> None:
    chosen = {kind: _picked(student, kind) for kind in ("cuda", "none", "mps", "xpu")}
    for kind, wanted in {"cuda": ("cuda",), "none": ("cpu",)}.items():
        _right_device(kind, chosen[kind], wanted)
    for kind in ("mps", "xpu"):
        _right_device(kind, chosen[kind], (kind, "cpu"))
    missed = [kind for kind in ("mps", "xpu") if chosen[kind].type == "cpu"]
    if missed:
        remark(
            f"On a machine with an accelerator of kind {' or '.join(missed)}, pick_device would "
            "choose the CPU. torch.accelerator knows every kind."
        )


def _picked(student: Subject, kind: str) -> torch.device:
    with student.on("machine", kind=kind):
        got = student.pick_device()
    if not isinstance(got, torch.device):
        raise Mismatch(f"pick_device() returned {expect.kind_of(got)}; expected a torch.device")
    return got


def _right_device(kind: str, got: torch.device, wanted: tuple[str, ...]) -> None:
    if got.type not in wanted or got.index:  # each of these machines has one, number 0
        machine = "without an accelerator" if kind == "none" else f"whose accelerator is {kind}"
        raise Mismatch(
            f"On a machine {machine} pick_device() chose {got}; expected {' or '.join(wanted)}.\n"
            "(The machine is pretended: PyTorch is made to answer as it would there.)"
        )


@pytest.mark.check("time_forward waits for the device before it reads the clock", points=1)
def test_waits(student: Subject) -> None:
    with student.on("stand-in", pace=list(probes.PACE)) as seen:
        x = torch.ones(2, 6, 7)
        student.time_forward(probes.layer(), x, probes.REPEATS, probes.WARMUP)
    if not seen["readings"] and not seen["marks"]:
        raise Mismatch("time_forward never read a clock, nor recorded an Event.")
    if seen["timed_copies"]:
        copy = seen["timed_copies"][0]
        raise Mismatch(
            f"time_forward copies between device and host while the clock runs{_at(copy)}, so it "
            "times the copy as well. Wait with a synchronize instead."
        )
    if seen["early"]:
        raise Mismatch(
            f"time_forward reads the clock{_at(seen['early'][0])} while the device still has "
            f"{seen['early'][0]['behind'] * 1000:.1f} ms of work to do.\nA call returns as soon as "
            "its work is queued. Wait for the device before every reading, the first one too."
        )


def _at(event: dict[str, object]) -> str:
    return f" (line {event['line']})" if event["line"] else ""
