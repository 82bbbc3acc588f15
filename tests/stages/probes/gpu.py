"""Inputs for the head, and a stand-in accelerator's pace for the stopwatch."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from grader.diagnosis import Experiment, Step, attempted
from grader.figures import worked_example
from grader.subject import Subject
from grader.subject.protocol import ModuleHandle
from grader.suite import Function, Probe
from stages.oracle import gpu as oracle
from stages.oracle.mixing import mix_values
from stages.oracle.projection import project
from stages.probes.mixing import WEIGHTS_OF

WEIGHTS = ("W_Q", "W_K", "W_V")
HEAD = Function(
    name="SingleHeadAttention",
    axes={"x": "... token d_model", **dict.fromkeys(WEIGHTS, "d_k d_model")},
    results={"output": "... token d_k"},
    oracle=oracle.single_head,
    error=oracle.single_head_error,
)
DOUBLE = replace(HEAD, error=oracle.single_head_double_error)
"""The head in float64, judged to a millionth."""
STEPS = {
    "SingleHeadAttention": (
        *(
            Step(name, "... token d_k", ("x", weight), lambda x, w: project(x, w.T))
            for name, weight in zip("qkv", WEIGHTS, strict=True)
        ),
        *WEIGHTS_OF,
        Step("output", "... token d_k", ("weights", "v"), mix_values),
    )
}
SIZES = ((7, 5), (3, 6), (4, 1))
"""d_model and d_k of the heads whose parameters are looked at."""

REPEATS, WARMUP = 9, 5
"""How many passes are asked for: not the usual numbers, which somebody may have written down."""
TIMED = (0.0033, 0.0125, 0.0022, 0.0031, 0.0117, 0.0071, 0.0037, 0.0075, 0.0029)
AFTER = 0.0167
PACE = (0.05, 0.03, 0.02, 0.04, 0.025, *TIMED, AFTER)
"""Seconds of each pass on the stand-in: slow ones for the warm-up, those to be timed, and one for
all that come after. First, last, least, greatest, middle and mean of those to be timed are
different. None is their median, which is another one with a pass more, a pass less, or others."""

CLOCKS = 2.0
"""How many times shorter or longer time_forward may find a pass than another clock does: read too
early it is off by a hundred times on a large input, and by a busy machine hardly by two."""


def probe(x: object, weights: object, note: str = "") -> Probe:
    """One forward pass with W_Q, W_K and W_V, each (d_k, d_model)."""
    values = {"x": x, **dict(zip(WEIGHTS, cast("Any", weights), strict=True))}
    return Probe(HEAD, {name: np.asarray(value, float) for name, value in values.items()}, note)


def random(
    rng: np.random.Generator,
    *,
    token: int = 6,
    d_model: int = 7,
    d_k: int = 5,
    batch: tuple[int, ...] = (),
    note: str = "",
) -> Probe:
    """A stream of unit variance, and three different weights that keep it."""
    weights = rng.normal(size=(3, d_k, d_model)) / np.sqrt(d_model)
    return probe(rng.normal(size=(*batch, token, d_model)), weights, note)


def shapes(rng: np.random.Generator) -> list[Probe]:
    """None, one and two batch axes; no two axes of the same size."""
    return [random(rng, batch=batch) for batch in ((), (2,), (4, 2))]


def numbers(rng: np.random.Generator) -> list[Probe]:
    """Ordinary heads, the smallest ones, and equal axes on top."""
    return [
        *shapes(rng),
        random(rng, token=1, note="one token"),
        random(rng, d_k=1, note="d_k = 1"),
        random(rng, batch=(1,), note="a batch of one"),
        random(rng, d_model=3, d_k=8, batch=(2,), note="d_k larger than d_model"),
        random(rng, token=5, d_model=5, batch=(2,), note="as many tokens as features"),
    ]


def doubles(rng: np.random.Generator) -> list[Probe]:
    """The same for float64."""
    return [replace(probe, function=DOUBLE) for probe in numbers(rng)]


def one(rng: np.random.Generator) -> list[Probe]:
    """One ordinary head on a batch."""
    return [random(rng, batch=(2,))]


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [random(rng, token=3, d_model=4, d_k=2, batch=(2,))]


def longer(rng: np.random.Generator) -> list[Probe]:
    """The same head on little, on ten times the tokens, and on ten times the batch items."""
    return [
        random(rng, token=3, batch=(2,)),
        random(rng, token=30, batch=(2,), note="ten times as many tokens"),
        random(rng, token=3, batch=(20,), note="ten times as many batch items"),
    ]


def large(rng: np.random.Generator) -> list[Probe]:
    """For timing: the scores are 268 MB in float32, more than any cache holds; x is 4 MB."""
    return [random(rng, token=4096, d_model=64, d_k=64, batch=(4,))]


def worked(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down."""
    example = worked_example()
    weights = [w.T for w in (example.W_Q, example.W_K, example.W_V)]
    return [probe(example.X, weights, "the worked example")]


def diagnostic(rng: np.random.Generator) -> list[Probe | Experiment]:
    """What known mistakes are told apart by."""
    from stages.experiments.gpu import experiments  # its experiments use what is here

    return [*doubles(rng), *experiments()]


def costed(student: Subject) -> Callable[[], Any]:
    """A forward pass whose cost is shown beside the reference's: 16 tokens, a batch of 2."""
    probe = random(np.random.default_rng(7), token=16, batch=(2,))
    x, *weights = (value for value in probe.tensors(torch.float32) if isinstance(value, Tensor))
    head = head_of(student, weights)
    return lambda: head(x)


def head_of(student: Subject, weights: list[Tensor]) -> ModuleHandle:
    """The submission's head with given parameters: W_Q, W_K and W_V, each (d_k, d_model)."""
    d_k, d_model = weights[0].shape
    head: ModuleHandle = student.SingleHeadAttention(d_model, d_k)
    head.load({f"{name}.weight": w for name, w in zip(WEIGHTS, weights, strict=True)})
    return head


def layer() -> nn.Linear:
    """A module to be timed, the same every time."""
    made = nn.Linear(7, 5, bias=False)
    nn.init.constant_(made.weight, 0.5)
    return made


def as_function(student: Subject) -> Subject:
    """The submission's head as a function of x and its weights, so that probes can call it."""
    return cast("Subject", _AsFunction(student))


class _AsFunction:
    def __init__(self, student: Subject) -> None:
        self._student = student

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self._forward

    def at_once(self, _: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """One head goes through all calls in a row that have the same weights."""
        rows = groupby(calls, key=lambda call: [weight.tolist() for weight in call[1:]])
        return [result for _, row in rows for result in self._by_one_head([*row])]

    def _by_one_head(self, calls: Sequence[Sequence[Any]]) -> list[Any]:
        head = attempted(head_of, self._student, [*calls[0][1:]])
        return [None if head is None else attempted(head, x) for x, *_ in calls]

    def _forward(self, x: Tensor, *weights: Tensor) -> Any:
        head = head_of(self._student, [w.detach() for w in weights])
        if not (torch.is_grad_enabled() and x.requires_grad):
            return head(x)
        return _Pass.apply(self._student, head, x, *weights)  # type: ignore[no-untyped-call]


class _Pass(torch.autograd.Function):
    """A forward pass whose backward pass is made where the parameters are."""

    @staticmethod
    def forward(ctx: Any, student: Subject, head: ModuleHandle, x: Tensor, *_: Tensor) -> Any:
        ctx.student, ctx.head = student, head
        ctx.save_for_backward(x)
        return head(x.detach())

    @staticmethod
    def backward(ctx: Any, direction: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        with ctx.student.on("gradients", direction=direction.tolist()) as seen:
            ctx.head(x.detach())
        found = [*seen["arguments"], *(seen["parameters"].get(f"{n}.weight") for n in WEIGHTS)]
        gradients = [None if g is None else torch.tensor(g, dtype=x.dtype) for g in found]
        return None, None, *gradients
