"""Submissions that try to be fast without being fast, in confined workers, timed for real.

The threshold is the course's. How far from it both sides stay, on a busy machine as well, is
measured by `nox -s bench -- timing`: the reference against itself gave 0.67 to 1.25 there, three
times the work 0.31 to 0.36.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import torch
from torch import Tensor

from grader.devices.chain import same
from grader.devices.contest import Side
from grader.devices.timing import Comparison, Outcome, Plan, Timing
from harness.confined.machine import submission
from harness.devices import heads

PLAN = Plan(threshold=0.5, pairs=8, doublings=4)
STEPS = 32
D_MODEL = 64

SCORES = heads.SCORES.rstrip()
BENT_CLOCKS = """
import time
import timeit

for _name in ("time", "perf_counter", "monotonic", "perf_counter_ns", "process_time"):
    setattr(time, _name, lambda *_: 0)
timeit.default_timer = time.perf_counter
torch.cuda.synchronize = torch.accelerator.synchronize = lambda *_: None
torch.cuda.Event = torch.Event = type("Event", (), {"elapsed_time": lambda *_: 1e-6})
"""
CACHE = f"""
key = (x.shape, self.W_Q.weight.data_ptr())
cache = self.__dict__.setdefault("cache", {{}})
if key not in cache:
    {SCORES}
    cache[key] = scores.softmax(-1) @ v
return cache[key]
"""
THREAD = f"""
import threading
out = torch.zeros_like(q)
def work():
    {SCORES}
    out.copy_(scores.softmax(-1) @ v)
threading.Thread(target=work).start()
return out
"""
LAZY = """
class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        do = lambda a: a.work() if isinstance(a, Lazy) else a
        return func(*map(do, args), **(kwargs or {}))
def work():
    for _ in range(4):
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        out = scores.softmax(-1) @ v
    return out
lazy = torch.empty(0).as_subclass(Lazy)
lazy.work = work
return lazy
"""

CHEATS: dict[str, tuple[str, set[Outcome]]] = {
    "the reference": (heads.SOLUTION, {Outcome.PASSED}),
    "three times slower": (heads.THRICE, {Outcome.FAILED}),
    "three times slower, every clock bent": (
        heads.THRICE.replace("import torch\n", f"import torch\n{BENT_CLOCKS}", 1),
        {Outcome.FAILED},
    ),
    "lazy, four times slower": (heads.with_forward(LAZY), {Outcome.FAILED}),
    "a cache by address": (heads.with_forward(CACHE), {Outcome.WRONG}),
    "a thread in the background": (heads.with_forward(THREAD), {Outcome.WRONG}),
    "fast and wrong": (heads.with_forward("return v"), {Outcome.WRONG}),
    "lower precision": (
        heads.with_forward(
            "q, k, v = q.bfloat16(), k.bfloat16(), v.bfloat16()\n"
            f"{SCORES}\nreturn (scores.softmax(-1) @ v).to(x.dtype)"
        ),
        {Outcome.WRONG},
    ),
    "its input wiped": (
        heads.with_forward(f"{SCORES}\nx.zero_()\nreturn scores.softmax(-1) @ v"),
        {Outcome.WRONG},
    ),
}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def side(text: str, stack: ExitStack) -> Side:
    subject = stack.enter_context(submission(text))
    head = subject.SingleHeadAttention(D_MODEL, D_MODEL)
    draw = torch.Generator().manual_seed(0)
    names = ("W_Q", "W_K", "W_V")
    weights = torch.randn(3, D_MODEL, D_MODEL, generator=draw) / D_MODEL**0.5
    head.load({f"{name}.weight": weight for name, weight in zip(names, weights, strict=True)})
    return Side(subject, head, "cpu")


def timed(text: str, stack: ExitStack) -> Timing:
    draw = torch.Generator().manual_seed(1)

    def fresh() -> Tensor:
        return torch.randn(1, 384, D_MODEL, generator=draw)

    yours, reference = side(text, stack), side(heads.SOLUTION, stack)
    return Comparison(yours.unit(STEPS), reference.unit(STEPS), fresh, same).run(PLAN)


@pytest.mark.parametrize("name", CHEATS)
def test_nothing_is_gained_by_cheating(name: str, stack: ExitStack) -> None:
    text, outcomes = CHEATS[name]
    found = timed(text, stack)
    assert found.outcome in outcomes, found
