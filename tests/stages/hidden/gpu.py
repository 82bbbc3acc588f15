"""Running on an accelerator, the checks that students never see."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.devices import contest
from grader.devices.cost import Prepare
from grader.devices.timing import Outcome, Plan, Timing
from grader.subject import Subject, SubmissionDied, SubmissionTimeout
from grader.suite import Draw, Mismatch, Probe, Remark, expect, verdict
from stages.oracle import gpu as oracle
from stages.probes import gpu as probes

KINDS = ("cuda", "xpu", "mtia")
"""Kinds of accelerator, so that code with the name of one in it fails on another; the last is on
nobody's list, so that code with a list in it fails as well."""


@pytest.mark.check("The output agrees with the formula in float32 and float64", points=1)
def test_numbers(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.numbers):
        expect.numbers(probes.as_function(student), probe, torch.float32)
    for probe in draw(probes.doubles):
        results = expect.numbers(probes.as_function(student), probe, torch.float64)
        expect.alike(probe, results, torch.float64)


@pytest.mark.check(
    "The same output in either mode, from call to call, for a view; x stays as it was", points=0.5
)
def test_repeatable(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.one):
        x, *weights = _tensors(probe)
        head = probes.head_of(student, weights)
        first, second = head(x), head(x)
        _same(probe, first, second, "a second call with the same x gave another output")
        other = probes.head_of(student, weights)(1 - x)
        _same(probe, other, head(1 - x), "after one x, another x gives what a new head does not")
        head.train(False)
        _same(probe, first, head(x), "in eval mode the output is another one than in train mode")
        expect.untouched(probes.as_function(student), probe)
        expect.views(probes.as_function(student), probe)


def _same(probe: Probe, first: Any, other: Any, told: str) -> None:
    alike = isinstance(first, Tensor) and isinstance(other, Tensor) and first.shape == other.shape
    if not alike or not torch.allclose(first, other, atol=1e-6):
        expect.fail(probe, torch.float32, told)


@pytest.mark.check("Gradients flow back to x and to all three weights", points=1)
def test_gradients(student: Subject, draw: Draw) -> None:
    for probe in draw(probes.gradients):
        expect.gradients(probes.as_function(student), probe)


@pytest.mark.check("The forward pass stays on x's device, whatever device that is", points=1)
def test_placement(student: Subject, draw: Draw, remark: Remark) -> None:
    for probe in draw(probes.one):
        for kind in KINDS:
            _stays(student, probe, kind, remark)
        _stays_on_the_cpu(student, probe)


def _stays_on_the_cpu(student: Subject, probe: Probe) -> None:
    """Where x is, not where an accelerator is: whoever calls may have put both on the CPU."""
    x, *weights = _tensors(probe)
    head = probes.head_of(student, weights)
    with _told_as_on("the CPU of a machine that has an accelerator"):
        try:
            with student.on("stand-in", unused=True) as seen:
                head(x)
        finally:
            _moves_nothing(seen)


def _moves_nothing(seen: Mapping[str, Any]) -> None:
    """What was moved tells more than what was raised afterwards."""
    for event in seen.get("copies", ()):
        raise Mismatch(
            f"the forward pass moves a tensor to the accelerator{_at(event)}. The head works where "
            "x is, and moves neither x nor itself: that is for whoever calls it."
        )


def _stays(student: Subject, probe: Probe, kind: str, remark: Remark) -> None:
    x, *weights = _tensors(probe)
    head, device = probes.head_of(student, weights), f"{kind}:0"
    with _told_as_on(device):
        with student.on("stand-in", kind=kind) as seen:
            head(x)
        if seen["results"] != [device]:
            raise Mismatch(f"the output is on {', '.join(seen['results'])}; x is on {device}.")
        for event in seen["copies"]:
            raise Mismatch(f"{_COPIES[event['kind']]}{_at(event)}: {event['what']}.")
        for made in seen["host_tensors"]:
            raise Mismatch(
                f"the forward pass makes a tensor on the CPU{_at(made)}: {made['what']}. "
                "Make it with device=x.device."
            )
    for made in seen["host_scalars"][:1]:
        remark(
            f"The forward pass makes a number as a tensor on the CPU{_at(made)}. PyTorch lets "
            "that pass; a Python number, or device=x.device, is better."
        )


@contextmanager
def _told_as_on(place: str) -> Iterator[None]:
    """Say before every message where the call was made: an exception alone would not tell."""
    __tracebackhide__ = True
    try:
        yield
    except (SubmissionDied, SubmissionTimeout, NotImplementedError):
        raise
    except Exception as error:
        text = str(error) if isinstance(error, Mismatch) else verdict.told(error)
        raise Mismatch(f"With x and the module on {place} (a stand-in for it):\n{text}") from error


_COPIES = {
    "to host": "the forward pass copies a tensor from the device to the CPU",
    "to device": "the forward pass copies a tensor from the CPU to the device",
    "to python": "the forward pass makes Python wait for a number from the device",
}
"""What each kind of copy is called."""


@pytest.mark.check("No loop: ten times the tokens or items need no more operations", points=1)
def test_no_loop(student: Subject, draw: Draw, cost: Callable[[Prepare], None]) -> None:
    cost(probes.costed)
    small, *large = draw(probes.longer)
    few = _operations(student, small)
    for probe in large:
        many = _operations(student, probe)
        if many > 1.5 * few + 5:
            expect.fail(
                probe,
                torch.float32,
                f"{many} operations; with a tenth of that it took {few}. A loop asks the device "
                "for every step; one batched operation does all of them at once.",
            )


def _operations(student: Subject, probe: Probe) -> int:
    x, *weights = _tensors(probe)
    head = probes.head_of(student, weights)
    with student.on("cost") as seen:
        head(x)
    count: int = seen["operations"]
    return count


@pytest.mark.check("time_forward warms up, then gives the median of as many passes", points=1)
def test_median(student: Subject) -> None:
    seconds, seen = _timed(student, probes.REPEATS, probes.WARMUP)
    if not isinstance(seconds, float):
        raise Mismatch(f"time_forward returned {expect.kind_of(seconds)}; expected seconds, float")
    low, high = min(probes.PACE), max(probes.PACE)  # a Timer has ways of its own
    if not seen["benchmark"]:
        _enough_passes(seen)
        low, high = oracle.median_range(probes.TIMED)
    if not 0.98 * low <= seconds <= 1.02 * high:
        raise Mismatch(
            f"On a device whose {probes.REPEATS} passes after the warm-up take "
            f"{_milliseconds(probes.TIMED)} ms, time_forward gave {seconds * 1000:.4g} ms; "
            f"expected their median, {_milliseconds(oracle.median_range(probes.TIMED)[:1])} ms."
        )


def _enough_passes(seen: dict[str, Any]) -> None:
    asked, passes = probes.REPEATS + probes.WARMUP, seen["passes"]
    if not isinstance(passes, int) or passes < asked:
        raise Mismatch(
            f"time_forward(module, x, {probes.REPEATS}, {probes.WARMUP}) ran the module {passes} "
            f"times; expected {probes.WARMUP} passes to warm up and {probes.REPEATS} timed ones."
        )


def _milliseconds(seconds: tuple[float, ...]) -> str:
    return ", ".join(f"{s * 1000:g}" for s in seconds)


@pytest.mark.check(
    "time_forward leaves x and the module's mode alone, and runs on a CPU", points=0.5
)
def test_leaves_no_trace(student: Subject) -> None:
    for training in (True, False):
        _, seen = _timed(student, 2, 1, training=training)
        for before, after in seen["modes"]:
            if before != after:
                raise Mismatch(
                    f"the module was in {_mode(before)} mode and is in {_mode(after)} mode after "
                    "time_forward. Put it back."
                )
    seconds = student.time_forward(probes.layer(), torch.ones(2, 6, 7), 2, 1)
    if not (isinstance(seconds, float) and 0 < seconds < float("inf")):
        raise Mismatch(f"on the CPU time_forward gave {expect.kind_of(seconds)}; expected seconds")


def _mode(training: bool) -> str:
    return "train" if training else "eval"


def _timed(
    student: Subject, repeats: int, warmup: int, *, training: bool = True
) -> tuple[object, dict[str, Any]]:
    x = torch.arange(84.0).reshape(2, 6, 7)
    before = x.clone()
    with student.on("stand-in", pace=list(probes.PACE)) as seen:
        seconds = student.time_forward(probes.layer().train(training), x, repeats, warmup)
    if not torch.equal(x, before):
        raise Mismatch("time_forward changed its argument x, which belongs to the caller.")
    return seconds, dict(seen)


@pytest.mark.check("On an accelerator, the head keeps up with the reference", points=4, seconds=600)
def test_speed_against_reference(
    student: Subject,
    reference: Callable[[], Subject],
    ratios: Mapping[str, float],
    draw: Draw,
    remark: Remark,
    judged_on: Callable[[str], None],
) -> None:
    device = _accelerator(student)
    (probe,) = draw(probes.large)
    yours, theirs = _side(student, probe), _side(reference(), probe)
    with contest.alone_on(device):
        timing = contest.contest(yours, theirs, lambda: _like(probe), Plan(ratios["reference"]))
        judged_on(device)
    _fast_enough(timing, f"the reference on {device}", ratios["reference"])
    remark(_measured(timing, f"the reference on {device}"))


@pytest.mark.check("On an accelerator, the head is faster than on the CPU", points=4, seconds=600)
def test_speed_against_cpu(
    student: Subject,
    ratios: Mapping[str, float],
    draw: Draw,
    remark: Remark,
    judged_on: Callable[[str], None],
) -> None:
    device = _accelerator(student)
    (probe,) = draw(probes.large)
    yours, on_cpu = _side(student, probe), _side(student, probe, "cpu")
    with contest.alone_on(device):
        timing = contest.contest(yours, on_cpu, lambda: _like(probe), Plan(ratios["cpu"]))
        judged_on(device)
    _fast_enough(timing, "itself on the CPU", ratios["cpu"])
    remark(_measured(timing, "itself on the CPU"))


@pytest.mark.check("On an accelerator, time_forward tells the time", points=2, seconds=600)
def test_time_told(student: Subject, draw: Draw, judged_on: Callable[[str], None]) -> None:
    device = _accelerator(student)
    (probe,) = draw(probes.large)
    x, *weights = _tensors(probe)
    head = probes.head_of(student, weights)
    side = contest.Side(student, head)
    with contest.alone_on(device):
        steps = contest.steps_for(side, lambda: _like(probe))
        with student.on("device"):
            told = student.time_forward(head, x)
        taken = min(side.unit(steps)(_like(probe))[0] for _ in range(3)) / steps
        judged_on(device)
    if not isinstance(told, float) or not 1 / probes.CLOCKS < told / taken < probes.CLOCKS:
        shown = f"{told:.2g} s" if isinstance(told, float) else expect.kind_of(told)
        raise Mismatch(
            f"time_forward gave {shown} for a forward pass on {device}; by a clock that waits for "
            f"every result it takes {taken:.2g} s.\n"
            "Is the clock read before the device has finished?"
        )


def _accelerator(student: Subject) -> str:
    """Where it can be timed; asked without running anything of the submission."""
    with student.on("chain", steps=0) as seen:
        pass
    device: str | None = seen["device"]
    if device is None:
        pytest.skip("speed on an accelerator")
    return device


def _side(subject: Subject, probe: Probe, device: str = "accelerator") -> contest.Side:
    _, *weights = _tensors(probe)
    return contest.Side(subject, probes.head_of(subject, weights), device)


def _like(probe: Probe) -> Tensor:
    return torch.randn_like(_tensors(probe)[0])


def _fast_enough(timing: Timing, rival: str, least: float) -> None:
    if timing.outcome is Outcome.INCONCLUSIVE:
        pytest.skip(f"speed: this machine was too unsteady to tell ({_measured(timing, rival)})")
    if timing.outcome is Outcome.WRONG:
        raise Mismatch(
            "In a timed chain of calls, each on the result of the one before, the result is "
            "not the reference's. Is something kept from call to call, or computed in less than "
            "float32?"
        )
    if timing.outcome is Outcome.FAILED:
        raise Mismatch(f"{_measured(timing, rival)}; expected at least {least:g} times.")


def _measured(timing: Timing, rival: str) -> str:
    return (
        f"The head is {timing.ratio:.2f} times as fast as {rival} (95 % sure: {timing.low:.2f} to "
        f"{timing.high:.2f}; {timing.pairs} pairs, {timing.discarded} thrown away)"
        + "".join(f"; {flag}" for flag in timing.flags)
    )


def _tensors(probe: Probe) -> list[Tensor]:
    return [value for value in probe.tensors(torch.float32) if isinstance(value, Tensor)]


def _at(event: dict[str, Any]) -> str:
    return f" (line {event['line']})" if event["line"] else ""
