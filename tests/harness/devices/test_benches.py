import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from grader.devices import benches


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.W_Q = nn.Linear(7, 5, bias=False)
        self.register_buffer("scale", torch.full((), 5**-0.5))

    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x)
        weights = (q @ q.transpose(-2, -1) * self.scale).softmax(-1)
        mixed: Tensor = weights @ q
        return mixed


def call(bench: str, function: Any, *args: Any, **settings: Any) -> tuple[Any, dict[str, Any]]:
    made = benches.make(bench, settings)
    with made:
        result = made.call(function, args, {})
    return result, made.report()


def test_an_unknown_bench_is_named_with_those_that_exist() -> None:
    with pytest.raises(
        ValueError, match="no bench is called 'gpu'; there are: cost, gradients, meta"
    ):
        benches.make("gpu", {})


@pytest.mark.parametrize("bench", ["cost", "meta", "fake cuda", "stand-in"])
def test_right_code_runs_and_its_module_is_as_before(bench: str) -> None:
    module, x = Attention(), torch.randn(2, 6, 7)
    before = dict(module.named_parameters()) | dict(module.named_buffers())
    result, seen = call(bench, module, x)
    after = dict(module.named_parameters()) | dict(module.named_buffers())
    assert result.shape == (2, 6, 5)
    assert all(after[name] is before[name] for name in before)
    assert isinstance(module.W_Q.weight, nn.Parameter)
    assert "forward" not in vars(module)
    assert json.loads(json.dumps(seen)) == seen


@pytest.mark.parametrize("bench", ["cost", "stand-in"])
def test_numbers_are_those_of_the_cpu(bench: str) -> None:
    module, x = Attention(), torch.randn(2, 6, 7)
    result, _ = call(bench, module, x)
    assert type(result) is Tensor
    assert torch.allclose(result, module(x), atol=1e-6)


def test_a_call_on_a_device_comes_back_to_the_cpu() -> None:
    module, x = Attention(), torch.randn(2, 6, 7)
    weight = module.W_Q.weight
    result, seen = call("device", module, x, device="cpu")
    assert (seen, torch.equal(result, module(x))) == ({"device": "cpu"}, True)
    assert module.W_Q.weight is weight


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
def test_without_an_accelerator_a_call_on_it_gives_nothing() -> None:
    assert call("device", Attention(), torch.ones(2, 6, 7)) == (None, {"device": None})


@pytest.mark.parametrize("bench", ["meta", "fake cuda"])
def test_results_without_data_are_meta(bench: str) -> None:
    result, seen = call(bench, Attention(), torch.randn(2, 6, 7))
    assert result.device.type == "meta"
    assert seen["results"] == [{"meta": "meta", "fake cuda": "cuda"}[bench]]
    assert seen["host_tensors"] == []


def test_cost_counts_what_a_loop_costs() -> None:
    def looped(x: Tensor) -> Tensor:
        return torch.stack([token * 2 for token in x])

    counts = [call("cost", looped, torch.ones(n, 3))[1] for n in (4, 40)]
    assert [seen["operations"] for seen in counts] == [5, 41]
    assert counts[0]["by_name"]["mul"] == 4
    assert counts[0]["bytes"] == 2 * 4 * 3 * 4


def test_cost_names_the_line_that_hands_a_number_to_python() -> None:
    def branching(x: Tensor) -> Tensor:
        return x if x.sum().item() > 0 else -x

    _, seen = call("cost", branching, torch.ones(3))
    assert seen["to_python"] == 1
    line = branching.__code__.co_firstlineno + 1
    assert seen["events"]["to_python"] == [{"what": "_local_scalar_dense", "line": line}]


def makes_cpu_tensor(x: Tensor) -> Tensor:
    return x + torch.zeros(x.shape)


def makes_scalar(x: Tensor) -> Tensor:
    return x * torch.tensor(2.0)


def round_trip(x: Tensor) -> Tensor:
    return x.cpu() * 2


def to_numpy(x: Tensor) -> Tensor:
    return torch.from_numpy(x.numpy())


def item(x: Tensor) -> Tensor:
    return x / x.max().item()


def names_cuda(x: Tensor) -> Tensor:
    return x + torch.zeros(x.shape, device="cuda")


@pytest.mark.parametrize("wrong", [makes_cpu_tensor, round_trip, to_numpy, item, names_cuda])
def test_meta_refuses_what_needs_the_host(wrong: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises((RuntimeError, TypeError, AssertionError)):
        call("meta", wrong, torch.ones(2, 3))


@pytest.mark.parametrize("bench", ["meta", "stand-in"])
def test_a_scalar_of_the_host_is_only_noted(bench: str) -> None:
    _, seen = call(bench, makes_scalar, torch.ones(2, 3))
    assert seen["host_tensors"] == []
    assert [made["shape"] for made in seen["host_scalars"]] == [[]]


def test_fake_cuda_says_when_it_met_its_own_gap() -> None:
    bench = benches.make("fake cuda", {})
    with bench, pytest.raises(Exception, match=r"(?i)cuda"):
        bench.call(lambda x: x.to("cuda", torch.float64).to("cpu").cuda(), [torch.ones(2)], {})
    assert bench.report()["gap"] is not None


@pytest.mark.parametrize("bench", ["cost", "meta", "fake cuda", "stand-in"])
def test_nothing_is_left_behind_by_an_exception(bench: str) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    module, clock = Attention(), time.perf_counter
    weight = module.W_Q.weight
    with pytest.raises(ZeroDivisionError):
        call(bench, broken, module, torch.ones(2, 6, 7))
    assert module.W_Q.weight is weight
    assert time.perf_counter is clock
    assert not torch.cuda.is_available() or torch.cuda.device_count()
    assert torch.ones(2).device.type == "cpu"
