"""Right answers to running on an accelerator that look different."""

import math
import statistics
import time
import timeit

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.benchmark import Timer

from grader.diagnosis import Bank
from solutions.gpu import SingleHeadAttention

PICK, TIMER = "pick_device", "time_forward"

bank = Bank(__name__, instead_of="SingleHeadAttention")


def _wait(x: Tensor) -> None:
    """Wait for x's device."""
    if x.is_cuda:
        torch.cuda.synchronize()


@bank.variant("Fused attention scales by 1/√d_k itself, and is allowed in this stage.")
class fused(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x))


@bank.variant("Queries scaled first, and every product as an einsum.")
class einsums(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q = self.W_Q(x) * self.W_Q.out_features**-0.5
        weights = torch.einsum("...id,...jd->...ij", q, self.W_K(x)).softmax(dim=-1)
        return torch.einsum("...ij,...jd->...id", weights, self.W_V(x))


@bank.variant("The softmax by hand, in place on tensors of one's own.")
class by_hand(SingleHeadAttention):
    def forward(self, x: Tensor) -> Tensor:
        q, k = self.W_Q(x), self.W_K(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores -= scores.detach().amax(dim=-1, keepdim=True)
        output: Tensor = scores.exp() @ self.W_V(x) / scores.exp().sum(dim=-1, keepdim=True)
        return output


@bank.variant("A buffer moves with its module; new tensors are made where x is.")
class buffer_and_mask(SingleHeadAttention):
    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k)
        self.register_buffer("scale", torch.full((1,), d_k**-0.5))

    def forward(self, x: Tensor) -> Tensor:
        mask = torch.zeros(x.shape[-2], x.shape[-2], device=x.device, dtype=x.dtype)
        scores = self.W_Q(x) @ self.W_K(x).mT * self.get_buffer("scale").to(x.dtype)
        output: Tensor = (scores + mask).softmax(dim=-1) @ self.W_V(x)
        return output


@bank.variant("Each kind of accelerator asked for by name.", instead_of=PICK)
def each_by_name() -> torch.device:
    if torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("xpu" if torch.xpu.is_available() else "cpu")


@bank.variant("The current accelerator, if it is there, or the CPU.", instead_of=PICK)
def current_or_cpu() -> torch.device:
    return torch.accelerator.current_accelerator(True) or torch.device("cpu")


@bank.variant("The warm-up's readings are taken as well, and thrown away.", instead_of=TIMER)
def warm_up_thrown_away(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    seconds = []
    for _ in range(warmup + repeats):
        _wait(x)
        start = time.monotonic()
        module(x)
        _wait(x)
        seconds.append(time.monotonic() - start)
    return statistics.median(seconds[warmup:])


@bank.variant("No graph is recorded while it is timed, and the mode is put back.", instead_of=TIMER)
def in_inference_mode(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    mode, seconds = module.training, []
    module.eval()
    with torch.inference_mode():
        for _ in range(warmup):
            module(x)
        for _ in range(repeats):
            _wait(x)
            start = time.perf_counter_ns()
            module(x)
            _wait(x)
            seconds.append(time.perf_counter_ns() - start)
    module.train(mode)
    return statistics.median(seconds) / 1e9


@bank.variant("The device's own events, with one wait at the end of each pass.", instead_of=TIMER)
def events(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds = []
    for _ in range(repeats):
        if x.device.type == "cpu":
            start = time.perf_counter()
            module(x)
            seconds.append(time.perf_counter() - start)
            continue
        before, after = (torch.Event(device=x.device, enable_timing=True) for _ in range(2))
        before.record()
        module(x)
        after.record()
        after.synchronize()
        seconds.append(before.elapsed_time(after) / 1000)
    return sorted(seconds)[len(seconds) // 2]


@bank.variant("`timeit` reads the clock; what it runs waits for the device.", instead_of=TIMER)
def with_timeit(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    def run() -> None:
        module(x)
        _wait(x)

    for _ in range(warmup):
        run()
    return statistics.median(timeit.repeat(run, number=1, repeat=repeats))


@bank.variant("PyTorch's own Timer waits by itself.", instead_of=TIMER)
def with_benchmark(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    for _ in range(warmup):
        module(x)
    seconds: float = Timer("module(x)", globals={"module": module, "x": x}).timeit(repeats).median
    return seconds


VARIANTS = bank.variants
