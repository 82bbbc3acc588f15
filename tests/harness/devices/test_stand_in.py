import copy
import threading
import time
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from grader.devices import benches
from harness.devices import heads


def on(function: Callable[..., Any], *args: Any, **settings: Any) -> tuple[Any, dict[str, Any]]:
    bench = benches.make("stand-in", settings)
    with bench:
        result = bench.call(function, list(args), {})
    return result, bench.report()


X = torch.arange(6.0).reshape(2, 3)


ASKED: dict[str, tuple[Callable[[Tensor], Any], Any]] = {
    "device": (lambda x: x.device, torch.device("cuda", 0)),
    "device of a parameter": (lambda x: nn.Parameter(x).device.type, "cuda"),
    "is_cuda": (lambda x: (x.is_cuda, x.is_cpu, x.is_xpu, x.is_mps), (True, False, False, False)),
    "get_device": (lambda x: x.get_device(), 0),
    "zeros": (lambda x: torch.zeros(2, device=x.device).device.type, "cuda"),
    "zeros by name": (lambda _: torch.zeros(2, device="cuda").is_cuda, True),
    "zeros by index": (lambda _: torch.zeros(2, device=0).is_cuda, True),
    "zeros_like": (lambda x: torch.zeros_like(x).is_cuda, True),
    "zeros_like on the CPU": (lambda x: torch.zeros_like(x, device="cpu").is_cuda, False),
    "new_zeros": (lambda x: x.new_zeros(2).is_cuda, True),
    "new_tensor": (lambda x: x.new_tensor([1.0]).is_cuda, True),
    "tensor": (lambda x: torch.tensor([1.0], device=x.device).is_cuda, True),
    "plain zeros": (lambda _: torch.zeros(2).is_cuda, False),
    "cpu": (lambda x: x.cpu().is_cuda, False),
    "to the CPU": (lambda x: x.to("cpu").is_cuda, False),
    "to the CPU, by a tensor": (lambda x: x.to(torch.zeros(1)).is_cuda, False),
    "to where it is": (lambda x: x.to(x.device) is x, True),
    "to a dtype": (lambda x: (x.to(torch.float64).is_cuda, x.double().dtype), (True, torch.double)),
    "to a device and a dtype": (
        lambda x: (torch.ones(2).to("cuda", torch.float64).is_cuda, x.to("cpu", torch.half).dtype),
        (True, torch.half),
    ),
    "to another's place": (lambda x: torch.ones(2).to(x).is_cuda, True),
    "cuda": (lambda x: (torch.ones(2).cuda().is_cuda, x.cuda().is_cuda), (True, True)),
    "tolist": (lambda x: x[0].tolist(), [0.0, 1.0, 2.0]),
    "item": (lambda x: x[1, 2].item(), 5.0),
    "a branch": (lambda x: 1 if x.sum() > 14 else 0, 1),
    "deepcopy": (lambda x: copy.deepcopy(x).is_cuda, True),
    "repr": (lambda x: "on cuda:0" in repr(x), True),
    "available": (lambda _: torch.cuda.is_available(), True),
    "a stream": (lambda _: torch.cuda.current_stream().query(), True),
    "shared storage": (lambda x: (x.view(-1).add_(1), x[0, 0].item())[1], 1.0),
    "transposed in place": (lambda x: tuple((x * 1).t_().shape), (3, 2)),
    "host index": (lambda x: x[:, torch.tensor([2, 0])].tolist()[0], [2.0, 0.0]),
    "copy to the host": (lambda x: torch.zeros(2, 3).copy_(x)[1, 2].item(), 5.0),
    "copy from the host": (lambda x: x.clone().copy_(torch.ones(2, 3)).is_cuda, True),
    "a mask that a function makes for itself": (lambda x: _causal(x).is_cuda, True),
    "inference mode": (lambda x: _in_inference_mode(x).is_cuda, True),
}


def _in_inference_mode(x: Tensor) -> Tensor:
    with torch.inference_mode():
        return (x @ x.mT).softmax(-1)


def _causal(x: Tensor) -> Tensor:
    return nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)


@pytest.mark.parametrize("name", ASKED)
def test_a_tensor_answers_as_on_a_cuda_device(name: str) -> None:
    function, wanted = ASKED[name]
    assert on(function, X.clone())[0] == wanted


REFUSED: dict[str, Callable[[Tensor], Any]] = {
    "mixed places": lambda x: x + torch.ones(2, 3),
    "a product of mixed places": lambda x: x @ torch.ones(3, 2),
    "numpy": lambda x: x.numpy(),
    "asarray": lambda x: np.asarray(x),
    "another kind": lambda x: x.to("mps"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_cuda_device_refuses_is_refused(name: str) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        on(REFUSED[name], X)


def test_a_device_of_one_kind_is_not_on_a_machine_of_another() -> None:
    with pytest.raises((RuntimeError, AssertionError)):
        on(lambda x: x + torch.ones(2, 3, device="cuda"), X, kind="xpu")
    with pytest.raises((RuntimeError, AssertionError)):
        on(lambda x: x.cuda(), X, kind="xpu")
    assert on(lambda x: (x.device.type, x.is_cuda), X, kind="xpu")[0] == ("xpu", False)


COPIES: dict[str, tuple[Callable[[Tensor], Any], list[str]]] = {
    "none": (lambda x: x * 2, []),
    "cpu": (lambda x: x.cpu(), ["to host"]),
    "round trip": (lambda x: x.to("cpu").to("cuda"), ["to host", "to device"]),
    "item": (lambda x: x.sum().item(), ["to python"]),
    "branch": (lambda x: bool((x > 0).all()), ["to python"]),
    "host index": (lambda x: x[torch.tensor([1])], ["to device"]),
    "mask": (lambda x: x[x > 2], ["to python"]),
    "print": (lambda x: str(x), ["to host"]),
    "a number": (lambda x: x * torch.tensor(2.0).to(x.device), []),
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_logged(name: str) -> None:
    function, wanted = COPIES[name]
    assert [copied["kind"] for copied in on(function, X)[1]["copies"]] == wanted


def test_a_copy_names_the_line() -> None:
    def copies(x: Tensor) -> Tensor:
        y = x * 2
        return y.cpu()

    _, seen = on(copies, X)
    assert seen["copies"][0]["line"] == copies.__code__.co_firstlineno + 2
    assert seen["results"] == ["cpu"]


def test_the_queue_is_worked_through_while_the_host_goes_on() -> None:
    def launches(module: nn.Module, x: Tensor) -> list[float]:
        start = perf_counter()
        module(x)
        queued = perf_counter()
        torch.cuda.synchronize()
        return [queued - start, perf_counter() - start]

    (queued, done), seen = on(launches, nn.Linear(3, 2), X, pace=[0.5])
    assert queued < 1e-4
    assert 0.5 <= done < 0.51
    assert [event["what"].rpartition(".")[2] for event in seen["early"]] == ["perf_counter"]
    assert seen["waits"] == 1


@pytest.mark.parametrize("clock", ["process_time", "thread_time"])
def test_a_processor_s_clock_stands_still_while_the_host_waits(clock: str) -> None:
    def waits(module: nn.Module, x: Tensor) -> float:
        start = getattr(time, clock)()
        module(x)
        torch.cuda.synchronize()
        time.sleep(1)
        x.cpu()
        return float(getattr(time, clock)() - start)

    seconds, seen = on(waits, nn.Linear(3, 2), X, pace=[0.5])
    assert 0 < seconds < 1e-3
    assert seen["clocks"] == [clock]


def test_an_accelerator_may_be_there_unused() -> None:
    def stays(module: nn.Module, x: Tensor) -> Tensor:
        assert torch.cuda.is_available()
        return module(x)  # type: ignore[no-any-return]

    _, seen = on(stays, nn.Linear(3, 2), X, unused=True)
    assert (seen["results"], seen["copies"], seen["host_tensors"]) == (["cpu"], [], [])
    _, seen = on(lambda x: x.to("cuda"), X, unused=True)
    assert seen["results"] == ["cuda:0"]
    assert [event["kind"] for event in seen["copies"]] == ["to device"]


def test_sleeping_costs_virtual_time_only() -> None:
    def sleeps() -> float:
        start = time.monotonic()
        time.sleep(1000)
        return time.monotonic() - start

    before = time.monotonic()
    assert on(sleeps)[0] == pytest.approx(1000, rel=1e-6)
    assert time.monotonic() - before < 100


def test_events_that_the_queue_has_not_reached_cannot_be_compared() -> None:
    def hurries(module: nn.Module, x: Tensor) -> float:
        start, end = torch.Event(enable_timing=True), torch.Event(enable_timing=True)
        start.record()
        module(x)
        end.record()
        elapsed: float = start.elapsed_time(end)
        return elapsed

    with pytest.raises(RuntimeError, match="completed"):
        on(hurries, nn.Linear(3, 2), X)


def test_another_thread_reads_the_real_clock() -> None:
    def reads() -> list[float]:
        found: list[float] = []
        thread = threading.Thread(target=lambda: found.append(time.perf_counter()))
        thread.start()
        thread.join()
        return found

    before = time.perf_counter()
    (found,) = on(reads)[0]
    assert before <= found <= time.perf_counter()


def test_a_change_in_place_is_seen_by_the_caller() -> None:
    x, module = X.clone(), nn.Linear(3, 2)
    _, seen = on(lambda m, t: (m.eval(), t.mul_(2), m.weight.data.zero_())[0], module, x)
    assert torch.equal(x, X * 2)
    assert not module.training
    assert not module.weight.any()
    assert seen["modes"] == [[True, False]]


def test_passes_are_counted_however_the_module_is_called() -> None:
    module = nn.Linear(3, 2)
    _, seen = on(lambda m, x: (m(x), m.forward(x)), module, X)
    assert seen["passes"] == 2
    assert "forward" not in vars(module)


def test_everything_is_itself_again() -> None:
    owners = (time.perf_counter, time.sleep, torch.cuda.synchronize, torch.cuda.Event, torch.Event)
    on(heads_timer(), nn.Linear(3, 2), X)
    with pytest.raises(ZeroDivisionError):
        on(lambda: 1 // 0)
    now = (time.perf_counter, time.sleep, torch.cuda.synchronize, torch.cuda.Event, torch.Event)
    assert now == owners
    assert perf_counter is time.perf_counter


def heads_timer() -> Callable[..., float]:
    scope: dict[str, Any] = {"__name__": "submission"}
    exec(heads.SOLUTION, scope)  # noqa: S102 - the solution's own text
    timer: Callable[..., float] = scope["time_forward"]
    return timer


WITNESSES = ("meta", "fake cuda")


@pytest.mark.parametrize("bench", WITNESSES)
@pytest.mark.parametrize("name", heads.RIGHT_HEADS)
def test_pytorch_s_own_devices_take_the_right_heads_too(name: str, bench: str) -> None:
    assert _refused(heads.RIGHT_HEADS[name], bench) is False


@pytest.mark.parametrize("name", [n for n, w in heads.WRONG_HEADS.items() if w[1] == "placement"])
def test_pytorch_s_own_devices_refuse_what_the_stand_in_refuses(name: str) -> None:
    text = heads.WRONG_HEADS[name][0]
    assert _refused(text, "meta") or _refused(text, "fake cuda")


def _refused(text: str, name: str) -> bool:
    """Whether a head fails on a bench, or makes a tensor on the CPU; a gap is no verdict."""
    scope: dict[str, Any] = {"__name__": "submission"}
    exec(text, scope)  # noqa: S102 - a test's own text
    head = scope["SingleHeadAttention"](7, 5)
    bench = benches.make(name, {})
    try:
        with bench:
            bench.call(head, [torch.randn(2, 6, 7)], {})
    except (RuntimeError, TypeError, AssertionError):
        return bench.report().get("gap") is None
    seen = bench.report()
    return bool(seen["host_tensors"]) or "cpu" in seen["results"]
