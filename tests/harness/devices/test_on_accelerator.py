"""What only a machine with an accelerator can show: run there by `nox -s gpu`, skipped elsewhere.

Untested: the machines on which this was written have none.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import torch
from torch import Tensor

from grader.devices import hardware
from grader.devices.chain import found
from grader.devices.contest import Side, alone_on, contest
from grader.devices.timing import Outcome, Plan
from grader.subject.protocol import Sources
from harness.confined import machine
from harness.devices import heads
from harness.devices.test_cheats import CHEATS

pytestmark = pytest.mark.skipif(
    not torch.accelerator.is_available(), reason="there is no accelerator"
)
TOKENS, WIDTH = 4096, 64


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as made, alone_on(str(found("accelerator"))):
        yield made


def side(text: str, stack: ExitStack, level: int = 1, device: str = "accelerator") -> Side:
    subject = machine.workers(level).open(
        Sources("gpu", {"gpu": text}), memory=4096, seconds=300, accelerator=True
    )
    stack.callback(subject.close)
    head = subject.SingleHeadAttention(WIDTH, WIDTH)
    weights = torch.randn(3, WIDTH, WIDTH, generator=torch.Generator().manual_seed(0))
    names = ("W_Q", "W_K", "W_V")
    head.load({f"{n}.weight": w / WIDTH**0.5 for n, w in zip(names, weights, strict=True)})
    return Side(subject, head, device)


def fresh() -> Tensor:
    return torch.randn(4, TOKENS, WIDTH)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_confined_worker_reaches_the_accelerator(level: int, stack: ExitStack) -> None:
    where = side(heads.SOLUTION, stack, level).device(fresh())
    assert where is not None
    assert torch.device(where).type != "cpu"


@pytest.mark.parametrize("name", CHEATS)
def test_nothing_is_gained_by_cheating(name: str, stack: ExitStack) -> None:
    text, outcomes = CHEATS[name]
    timing = contest(side(text, stack), side(heads.SOLUTION, stack), fresh, Plan(0.5))
    assert timing.outcome in outcomes, timing


def test_the_accelerator_beats_the_cpu(stack: ExitStack) -> None:
    on_cpu = side(heads.SOLUTION, stack, device="cpu")
    timing = contest(side(heads.SOLUTION, stack), on_cpu, fresh, Plan(2.0))
    assert timing.outcome is Outcome.PASSED, timing


@pytest.mark.skipif(not torch.cuda.is_available(), reason="NVIDIA's tool speaks of its GPUs only")
def test_the_machine_says_what_it_is() -> None:
    assert hardware.facts()["name"]
    assert hardware.throttled() is not None
