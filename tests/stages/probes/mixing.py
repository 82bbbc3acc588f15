"""Inputs for mixing and for the whole of attention, by what each set is for."""

import numpy as np

from grader.diagnosis import Step
from grader.figures import worked_example
from grader.suite import Array, Function, Probe
from stages.oracle import mixing as oracle
from stages.oracle.scaling import scale_scores
from stages.oracle.scores import attention_scores
from stages.oracle.softmax import row_softmax

MIX_VALUES = Function(
    name="mix_values",
    axes={"weights": "... query key", "v": "... key d_v"},
    results={"mixed values": "... query d_v"},
    oracle=oracle.mix_values,
    error=oracle.mix_values_error,
)
ATTENTION = Function(
    name="attention",
    axes={"q": "... query d_k", "k": "... key d_k", "v": "... key d_v"},
    results={"output": "... query d_v"},
    oracle=oracle.attention,
    error=oracle.attention_error,
)
WEIGHTS_OF = (
    Step("scores", "... query key", ("q", "k"), attention_scores),
    Step(
        "scaled scores", "... query key", ("scores", "q"), lambda s, q: scale_scores(s, q.shape[-1])
    ),
    Step("weights", "... query key", ("scaled scores",), row_softmax),
)
"""From queries and keys to weights."""
STEPS = {
    "attention": (
        *WEIGHTS_OF,
        Step("output", "... query d_v", ("weights", "v"), oracle.mix_values),
    )
}
BATCHES: tuple[tuple[int, ...], ...] = ((), (2,), (7, 2))
"""None, one and two batch axes. No other axis of these probes has the same size."""


def mix(weights: object, v: object, note: str = "") -> Probe:
    """One call of `mix_values`."""
    return Probe(
        MIX_VALUES, {"weights": np.asarray(weights, float), "v": np.asarray(v, float)}, note
    )


def attend(q: object, k: object, v: object, note: str = "") -> Probe:
    """One call of `attention`."""
    arguments = {name: np.asarray(a, float) for name, a in (("q", q), ("k", k), ("v", v))}
    return Probe(ATTENTION, arguments, note)


def random_mix(
    rng: np.random.Generator, query: int, key: int, d_v: int, batch: tuple[int, ...] = ()
) -> tuple[Array, Array]:
    """Rows of weights that add up to one, and values of both signs."""
    return rng.dirichlet(np.ones(key), size=(*batch, query)), rng.normal(size=(*batch, key, d_v))


def random_attention(
    rng: np.random.Generator, query: int, key: int, d_k: int, d_v: int, batch: tuple[int, ...] = ()
) -> tuple[Array, Array, Array]:
    """Queries, keys and values of unit variance, so that scaled scores are of order one."""
    sizes = ((query, d_k), (key, d_k), (key, d_v))
    q, k, v = (rng.normal(size=(*batch, *size)) for size in sizes)
    return q, k, v


def mix_shapes(rng: np.random.Generator) -> list[Probe]:
    """Every axis of another size."""
    return [mix(*random_mix(rng, 6, 4, 3, batch)) for batch in BATCHES]


def attention_shapes(rng: np.random.Generator) -> list[Probe]:
    """Every axis of another size; d_k is no square, so that a rounded root shows."""
    return [attend(*random_attention(rng, 6, 4, 5, 3, batch)) for batch in BATCHES]


def mix_numbers(rng: np.random.Generator) -> list[Probe]:
    """Ordinary weights and values, and equal axes on top."""
    return [
        *mix_shapes(rng),
        mix(*random_mix(rng, 5, 5, 3, (2,)), "as many queries as keys"),
        mix(*random_mix(rng, 5, 5, 5), "all axes equal"),
    ]


def attention_numbers(rng: np.random.Generator) -> list[Probe]:
    """Ordinary inputs, more keys than queries as well as fewer, and several d_k.

    One d_k is large: Newton's method needs more steps to its root than to a small one's.
    """
    return [
        *attention_shapes(rng),
        attend(*random_attention(rng, 3, 8, 2, 5, (2,)), "more keys than queries"),
        attend(*random_attention(rng, 4, 6, 40, 3), "d_k = 40"),
    ]


def self_attention(rng: np.random.Generator) -> list[Probe]:
    """Equal axes, where a mask by habit or keys in place of values raise nothing."""
    return [
        attend(*random_attention(rng, 6, 6, 5, 3, (2,)), "as many queries as keys"),
        attend(*random_attention(rng, 6, 4, 5, 5), "keys and values of one width"),
        attend(*random_attention(rng, 6, 5, 5, 3), "as many keys as features of a key"),
        attend(*random_attention(rng, 5, 5, 5, 5, (2,)), "all axes equal"),
        attend(*random_attention(rng, 5, 5, 5, 5, (5,)), "all axes equal, the batch as well"),
    ]


def convex(rng: np.random.Generator) -> list[Probe]:
    """Weights and values whose average can be told by looking at them."""
    weights, v = random_mix(rng, 6, 4, 3, (2,))
    ignored = v.copy()
    ignored[..., 2, :] = 0
    strong = np.tile([0.01, 0.01, 0.97, 0.01], (6, 1))
    return [
        mix(np.eye(4)[[2, 0, 3, 3, 1, 2]], v[0], "each query puts all its weight on one token"),
        mix(np.full((6, 4), 0.25), v[0], "equal weights: the mean of the values"),
        mix(weights, np.broadcast_to(v[:, :1], v.shape), "every token has the same value"),
        mix(strong, ignored[0], "the token with nearly all the weight has the value 0"),
    ]


def extremes(rng: np.random.Generator) -> list[Probe]:
    """Scores that overflow an exponential, underflow it, or lie far from other rows'."""
    q, k, v = random_attention(rng, 4, 6, 5, 3)
    q[:, 0], k[:, 0] = (100, -100, 0, 0.88), 100
    saturated = random_attention(rng, 4, 6, 5, 3, (2,))
    square = random_attention(rng, 5, 5, 5, 5)
    return [
        attend(q, k, v, "rows of q·k near 1e4, -1e4, 0 and 88"),
        attend(60 * saturated[0], 60 * saturated[1], saturated[2], "q·k of about 1e4"),
        attend(60 * square[0], 60 * square[1], square[2], "q·k of about 1e4, all axes equal"),
    ]


def edges(rng: np.random.Generator) -> list[Probe]:
    """The smallest inputs."""
    return [
        mix(*random_mix(rng, 1, 1, 1), "one query, one key, d_v = 1"),
        mix(*random_mix(rng, 1, 4, 3, (1,)), "a batch of one"),
        attend(*random_attention(rng, 1, 1, 5, 3), "one query, one key"),
        attend(*random_attention(rng, 1, 6, 5, 3), "one query"),
        attend(*random_attention(rng, 6, 4, 1, 3), "d_k = 1"),
        attend(*random_attention(rng, 6, 4, 5, 3, (1,)), "a batch of one"),
        attend(np.zeros((6, 5)), *random_attention(rng, 6, 4, 5, 3)[1:], "queries of 0"),
    ]


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [
        mix(*random_mix(rng, 4, 3, 2, (2,))),
        attend(*random_attention(rng, 3, 4, 5, 2, (2,))),
        attend(*random_attention(rng, 3, 3, 2, 3), "as many queries as keys"),
    ]


def worked_mix(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down: O = A V."""
    example = worked_example()
    return [mix(example.A, example.V, "the worked example")]


def worked_attention(_: np.random.Generator) -> list[Probe]:
    """The worked example from Q, K and V to O."""
    example = worked_example()
    return [attend(example.Q, example.K, example.V, "the worked example")]


def diagnostic(rng: np.random.Generator) -> list[Probe]:
    """What known mistakes are told apart by."""
    return [
        *mix_numbers(rng),
        *convex(rng),
        *attention_numbers(rng),
        *self_attention(rng),
        *extremes(rng),
        *edges(rng),
    ]
