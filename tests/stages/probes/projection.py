"""Inputs for the projections: which mistake shows on which is in the docs' proof matrix."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from grader.diagnosis import Experiment
from grader.figures import worked_example
from grader.subject import Subject
from grader.suite import Array, Function, Probe
from stages.oracle import projection as oracle

PROJECT = Function(
    name="project",
    axes={"x": "... token d_model", "weight": "d_model d"},
    results={"projected": "... token d"},
    oracle=oracle.project,
    error=oracle.project_error,
)
PROJECT_QKV = Function(
    name="project_qkv",
    axes={
        "x": "... token d_model",
        "w_q": "d_model d_k",
        "w_k": "d_model d_k",
        "w_v": "d_model d_v",
    },
    results={"q": "... token d_k", "k": "... token d_k", "v": "... token d_v"},
    oracle=oracle.project_qkv,
    error=oracle.project_qkv_error,
)


def probe(function: Function, *arrays: Array, note: str = "") -> Probe:
    """A call of `project` or of `project_qkv`."""
    return Probe(function, dict(zip(function.axes, arrays, strict=True)), note)


def drawn(
    rng: np.random.Generator, tokens: Sequence[int], d: Sequence[int], note: str = ""
) -> Probe:
    """Random x and weights.

    Args:
        rng: where the numbers come from.
        tokens: shape of x, (..., n, d_model).
        d: width of the one weight matrix, or of the three, (d_k, d_k, d_v).
        note: what the probe is for.
    """
    x = rng.normal(size=tokens)
    weights = [rng.normal(size=(tokens[-1], width)) for width in d]
    return probe(PROJECT if len(d) == 1 else PROJECT_QKV, x, *weights, note=note)


def single(rng: np.random.Generator) -> list[Probe]:
    """`project` with none, one and two batch axes; no two axes of the same size."""
    return [drawn(rng, size, [5]) for size in ((6, 7), (2, 6, 7), (3, 2, 6, 7))]


def triple(rng: np.random.Generator) -> list[Probe]:
    """`project_qkv` likewise: values have a width of their own."""
    return [drawn(rng, size, [5, 5, 4]) for size in ((6, 7), (2, 6, 7), (3, 2, 6, 7))]


def shapes(rng: np.random.Generator) -> list[Probe]:
    """Both functions, with none, one and two batch axes."""
    return [*single(rng), *triple(rng)]


def numbers(rng: np.random.Generator) -> list[Probe]:
    """`project`: sums short and long, batch items that differ, and equal axes on top."""
    return [
        *single(rng),
        drawn(rng, (2, 5, 90), [3], "many features"),
        drawn(rng, (2, 6, 5), [5], "a square weight matrix"),
        drawn(rng, (5, 5), [5], "as many tokens as features"),
    ]


def own_weights(rng: np.random.Generator) -> list[Probe]:
    """`project_qkv`: three weight matrices that differ, of different and of equal widths."""
    return [
        *triple(rng),
        drawn(rng, (2, 6, 7), [5, 5, 5], "values as wide as keys"),
        drawn(rng, (2, 6, 5), [5, 5, 5], "three square weight matrices"),
        drawn(rng, (5, 5), [5, 5, 5], "every axis the same"),
    ]


def edges(rng: np.random.Generator) -> list[Probe]:
    """The smallest inputs."""
    return [
        drawn(rng, (1, 1), [1], "one token, one feature"),
        drawn(rng, (1, 7), [5], "one token"),
        drawn(rng, (1, 6, 7), [5], "a batch of one"),
        drawn(rng, (6, 7), [1], "one column of weights"),
        drawn(rng, (2, 1, 7), [5, 5, 3], "one token"),
        drawn(rng, (1, 6, 7), [1, 1, 3], "a batch of one, d_k = 1"),
    ]


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [drawn(rng, (2, 3, 4), [5]), drawn(rng, (2, 4, 3), [5, 5, 2])]


def worked(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down, and its small sister of two tokens."""
    cat, pair = worked_example(), worked_example().two_tokens
    three = probe(PROJECT_QKV, cat.X, cat.W_Q, cat.W_K, cat.W_V, note="the worked example")
    return [
        probe(PROJECT, cat.X, cat.W_Q, note="the worked example"),
        probe(PROJECT, pair["X"], pair["W_Q"], note="the example of two tokens"),
        probe(PROJECT, pair["X"], pair["W_K"], note="the example of two tokens"),
        three,
    ]


def diagnostic(rng: np.random.Generator) -> list[Probe | Experiment]:
    """What known mistakes are told apart by."""
    return [*numbers(rng), *own_weights(rng), *edges(rng), NO_BIAS, *NO_CHANCE]


def _of_zeros(student: Subject) -> dict[str, str]:
    result = student.project(torch.zeros(2, 3), torch.ones(3, 2))
    return {_ZEROS: "other numbers than 0" if bool(result.any()) else "0"}


_ZEROS = "the result is"
NO_BIAS = Experiment("project", "x is 0", _of_zeros, {_ZEROS: "0"})
"""Tells what is added by chance from what is multiplied by chance."""


def _twice(function: str, weights: int) -> Experiment:
    """The experiment that a function gives the same for the same, in float32."""

    def facts(student: Subject) -> dict[str, str]:
        args = [torch.arange(72.0).reshape(9, 8) / 72, *[torch.ones(8, 7)] * weights]
        runs = [_tensors(getattr(student, function)(*args)) for _ in range(2)]
        same = all(map(torch.equal, *runs))
        told = (_SAME if fact else "different" for fact in (same, same or all(map(_alike, *runs))))
        return dict(zip(CHANCE, told, strict=True))

    return Experiment(function, "the same call twice, in float32", facts, CHANCE)


def _tensors(got: object) -> list[Tensor]:
    several = got if isinstance(got, tuple | list) else [got]
    return [value.double() for value in several if isinstance(value, Tensor)]


def _alike(a: Tensor, b: Tensor) -> bool:
    """Whether two results differ by the same row for every token, if at all."""
    return a.shape == b.shape and torch.allclose(a - a.mean(0), b - b.mean(0), atol=1e-5)


_SAME = "the same"
CHANCE = {"the numbers are": _SAME, "from token to token, they differ by": _SAME}
"""A bias drawn anew is the same row for every token: only drawn weights change what tokens differ
by."""
NO_CHANCE = (_twice("project", 1), _twice("project_qkv", 3))
"""Tells a layer with numbers of its own from weights in another dtype: both raise in float64."""
