"""How steady the trusted timing is: the reference against itself, and three times the work.

Run on the machine's accelerator where there is one, else with the CPU in its part, in confined
workers as a graded run has them. Meant: the reference's ratio within 0.9 to 1.1 in 20 of 20
repeats, and three times the work failed in 20 of 20 by the ratio that course.toml asks for.
"""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import torch
from torch import Tensor

from bench import paired
from grader import course as courses
from grader.devices.chain import found
from grader.devices.contest import Side, alone_on, contest
from grader.devices.timing import Plan, Timing
from grader.subject.confined import ladder
from grader.subject.confined.process import Workers
from grader.subject.protocol import Sources
from harness.devices import heads

ROOT = Path(__file__).parents[2]
REPEATS = 20
TOKENS = {True: 4096, False: 384}
"""How long x is on an accelerator, and on a CPU."""
WIDTH = 64
NEAR = (0.9, 1.1)
CASES = (
    ("three times the work", heads.THRICE, 12),
    ("the reference", heads.SOLUTION, 12),
    ("the reference, eight times the pairs", heads.SOLUTION, 96),
)
"""What is timed against the reference, and how many pairs before the first verdict."""


def main() -> None:
    """Print ratios, intervals and verdicts of both."""
    stage = next(stage for stage in courses.load(ROOT).stages if stage.ratios)
    least = stage.ratios["reference"]
    accelerator = found("accelerator")
    device = "cpu" if accelerator is None else "accelerator"
    print(f"on {accelerator or 'the CPU'}; the ratio that must be reached is {least:g}")
    with ladder.start() as workers, alone_on(str(accelerator or "cpu")):
        for name, text, pairs in CASES:
            plan = Plan(least, pairs)
            timings = [timed(workers, text, device, plan) for _ in range(REPEATS)]
            print(f"{name}: {told(timings)}", flush=True)


def told(timings: list[Timing]) -> str:
    """Ratios and verdicts of all repeats, in a line."""
    ratios = [timing.ratio for timing in timings]
    near = sum(NEAR[0] <= ratio <= NEAR[1] for ratio in ratios)
    width = paired.spread([timing.high / timing.low for timing in timings])
    outcomes = Counter(timing.outcome.value for timing in timings)
    pairs = sum(timing.pairs for timing in timings) / len(timings)
    return (
        f"ratio {paired.spread(ratios)}, from {min(ratios):.3g} to {max(ratios):.3g}; "
        f"{near} of {len(ratios)} within {NEAR[0]:g} to {NEAR[1]:g}; "
        f"upper end of the interval over its lower end {width}; "
        f"{pairs:.0f} pairs on average; {dict(outcomes)}"
    )


def timed(workers: Workers, text: str, device: str, plan: Plan) -> Timing:
    """One comparison with the reference, each side in a worker of its own."""
    with ExitStack() as stack:
        yours, reference = (
            side(workers, source, device, stack) for source in (text, heads.SOLUTION)
        )
        return contest(yours, reference, lambda: fresh(device), plan)


def side(workers: Workers, text: str, device: str, stack: ExitStack) -> Side:
    """A head with fixed weights, in a worker that ends with the stack."""
    subject = workers.open(
        Sources("gpu", {"gpu": text}), memory=4096, seconds=600, accelerator=True
    )
    stack.callback(subject.close)
    head = subject.SingleHeadAttention(WIDTH, WIDTH)
    weights = torch.randn(3, WIDTH, WIDTH, generator=torch.Generator().manual_seed(0))
    names = ("W_Q", "W_K", "W_V")
    head.load({f"{n}.weight": w / WIDTH**0.5 for n, w in zip(names, weights, strict=True)})
    return Side(subject, head, device)


def fresh(device: str) -> Tensor:
    """An input that no pair had before."""
    return torch.randn(1, TOKENS[device != "cpu"], WIDTH)
