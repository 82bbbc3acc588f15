from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from grader.devices import benches
from grader.devices.chain import MOST_STEPS, rms_norm, same
from grader.devices.contest import LEAST_SECONDS, Side, alone_on, contest, steps_for
from grader.devices.timing import Outcome, Plan
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from harness.devices import heads

PLAN = Plan(threshold=0.8, pairs=4, doublings=1)


def fresh() -> Tensor:
    return torch.randn(1, 6, 4)


def on_chain(module: nn.Module, x: Tensor, **settings: Any) -> tuple[Any, dict[str, Any]]:
    bench = benches.make("chain", settings)
    with bench:
        result = bench.call(module, [x], {})
    return result, bench.report()


def test_every_output_feeds_the_next_call() -> None:
    module, x = nn.Linear(4, 4), fresh()
    expected = x
    for _ in range(5):
        expected = rms_norm(expected + module(expected)).detach()
    result, seen = on_chain(module, x, steps=5, device="cpu")
    assert torch.equal(result, expected)
    assert seen == {"device": "cpu"}


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
def test_without_an_accelerator_nothing_runs() -> None:
    def never(_: Tensor) -> Tensor:
        raise AssertionError

    module = nn.Identity()
    module.forward = never  # type: ignore[method-assign, assignment]
    assert on_chain(module, fresh(), steps=5) == (None, {"device": None})


def test_the_precision_of_products_is_set_and_put_back() -> None:
    seen: list[str] = []

    class Asking(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            seen.append(torch.get_float32_matmul_precision())
            return x

    torch.set_float32_matmul_precision("high")
    try:
        on_chain(Asking(), fresh(), steps=1, device="cpu")
        assert (seen, torch.get_float32_matmul_precision()) == (["highest"], "high")
    finally:
        torch.set_float32_matmul_precision("highest")


class Attention(nn.Module):
    """Attention that may be wrong in one call, or less exact in all."""

    def __init__(self, dtype: torch.dtype, stale_at: int | None = None) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.weights = torch.randn(3, 32, 32, generator=generator, dtype=torch.float64) / 32**0.5
        self.dtype, self.stale_at = dtype, stale_at
        self.calls = 0
        self.last = torch.zeros(())

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        if self.calls != self.stale_at:
            q, k, v = (x.to(self.dtype) @ w for w in self.weights.to(self.dtype))
            self.last = ((q @ k.mT / 32**0.5).softmax(-1) @ v).to(x.dtype)
        return self.last


@pytest.mark.parametrize(
    ("dtype", "stale_at", "right"),
    [
        (torch.float32, None, True),
        (torch.bfloat16, None, False),
        (torch.float16, None, False),
        (torch.float32, 2, False),
        (torch.float32, MOST_STEPS, False),
    ],
)
def test_the_end_of_a_chain_tells_skipped_calls_and_lower_precision(
    dtype: torch.dtype, stale_at: int | None, right: bool
) -> None:
    x = torch.randn(1, 24, 32, generator=torch.Generator().manual_seed(1))
    exact, _ = on_chain(Attention(torch.float64), x.double(), steps=MOST_STEPS, device="cpu")
    found, _ = on_chain(Attention(dtype, stale_at), x, steps=MOST_STEPS, device="cpu")
    assert same(found, exact) is right


@pytest.mark.parametrize("other", [None, 1.0, torch.zeros(2, 3), torch.full((3, 2), torch.nan)])
def test_what_is_no_such_tensor_is_not_the_same(other: object) -> None:
    assert not same(other, torch.zeros(3, 2))


SIDE = """
import torch
from torch import nn

CALLS = [0]

class SingleHeadAttention(nn.Module):
    def __init__(self, d_model, d_k):
        super().__init__()
        self.W = nn.Linear(d_model, d_k, bias=False)
        with torch.no_grad():
            self.W.weight.copy_(torch.arange(16.0).cos().view(4, 4))

    def forward(self, x):
        CALLS[0] += {calls}
        {before}
        return self.W(x)

def calls():
    return CALLS[0]
"""


def side(calls: int = 1, before: str = "pass") -> Side:
    """A side whose clock counts the calls that its module pays for: a tenth of 1 ms each."""
    subject = InProcess(Sources("gpu", {"gpu": SIDE.format(calls=calls, before=before)}))
    module = subject.SingleHeadAttention(4, 4)
    return Side(subject, module, "cpu", clock=lambda: 1e-4 * _counted(subject))


def _counted(subject: InProcess) -> int:
    found: int = vars(subject._host.module())["calls"]()  # not through the bench
    return found


def test_a_unit_is_long_enough_for_the_reference() -> None:
    assert steps_for(side(calls=100), fresh) == 16
    assert 16 * 100 * 1e-4 >= LEAST_SECONDS > 8 * 100 * 1e-4
    assert steps_for(side(calls=0), fresh) == MOST_STEPS


CONTESTS: dict[str, tuple[Callable[[], Side], Outcome]] = {
    "the reference itself": (lambda: side(100), Outcome.PASSED),
    "three times slower": (lambda: side(300), Outcome.FAILED),
    "twice as fast": (lambda: side(50), Outcome.PASSED),
    "fast and wrong": (lambda: side(1, "return x * 0"), Outcome.WRONG),
    "its input wiped": (lambda: side(1, "x.zero_()"), Outcome.WRONG),
    "no tensor": (lambda: side(1, "return None or x.shape[0] * 1.0"), Outcome.WRONG),
}


@pytest.mark.parametrize("name", CONTESTS)
def test_contests_by_a_clock_that_counts_calls(name: str) -> None:
    make, outcome = CONTESTS[name]
    found = contest(make(), side(100), fresh, PLAN)
    assert found.outcome is outcome


def test_a_side_says_where_it_runs() -> None:
    assert side().device(fresh()) == "cpu"


def test_only_one_holds_a_device() -> None:
    from filelock import Timeout

    with alone_on("cuda:0"), alone_on("cuda:1"), pytest.raises(Timeout), alone_on("cuda:0", 0.01):
        pass
    with alone_on("cuda:0", 0.01):
        pass


def test_a_lock_is_for_one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import Timeout

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "6")
    with alone_on("test"):
        with pytest.raises(Timeout), alone_on("test", 0.01):
            pass
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7,6")
        with alone_on("test", 0.01):
            pass


def test_the_solution_s_head_can_be_chained() -> None:
    subject = InProcess(Sources("gpu", {"gpu": heads.SOLUTION}))
    one = Side(subject, subject.SingleHeadAttention(4, 4), "cpu").unit(3)
    seconds, result = one(fresh())
    assert seconds > 0
    assert isinstance(result, Tensor)
