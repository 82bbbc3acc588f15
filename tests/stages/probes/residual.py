"""Inputs for the residual stream and the attention block, by what each set is for."""

import numpy as np

from grader.diagnosis import Experiment, Step, refuses, shares_nothing
from grader.figures import worked_example
from grader.suite import Array, Function, Probe
from stages.oracle import residual as oracle
from stages.oracle.mixing import mix_values
from stages.oracle.projection import project
from stages.probes.mixing import WEIGHTS_OF

ADD_RESIDUAL = Function(
    name="add_residual",
    axes={"x": "... token d_model", "update": "... token d_model"},
    results={"stream": "... token d_model"},
    oracle=oracle.add_residual,
    error=oracle.add_residual_error,
)
ATTENTION_BLOCK = Function(
    name="attention_block",
    axes={
        "x": "... token d_model",
        "w_q": "d_model d_k",
        "w_k": "d_model d_k",
        "w_v": "d_model d_v",
        "w_o": "d_v d_model",
    },
    results={"stream": "... token d_model"},
    oracle=oracle.attention_block,
    error=oracle.attention_block_error,
)
STEPS = {
    "attention_block": (
        Step("x that is projected", "... token d_model", ("x",), np.copy),
        Step("q", "... token d_k", ("x that is projected", "w_q"), project),
        Step("k", "... token d_k", ("x that is projected", "w_k"), project),
        Step("v", "... token d_v", ("x that is projected", "w_v"), project),
        *WEIGHTS_OF,
        Step("mixed values", "... token d_v", ("weights", "v"), mix_values),
        Step("update", "... token d_model", ("mixed values", "w_o"), project),
        Step("stream", "... token d_model", ("x", "update"), oracle.add_residual),
    )
}
BATCHES: tuple[tuple[int, ...], ...] = ((), (2,), (4, 2))
"""None, one and two batch axes. No other axis of these probes has the same size."""
UNEQUAL: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((6, 7), (1, 7)),
    ((6, 7), (7,)),
    ((6, 7), (6, 1)),
    ((6, 7), ()),
    ((2, 6, 7), (6, 7)),
    ((2, 6, 7), (2, 1, 7)),
    ((2, 6, 7), (1, 6, 7)),
    ((1, 7), (6, 7)),
    ((6, 7), (2, 6, 7)),
)
"""Shapes of stream and update that PyTorch would stretch to fit."""
MISFITS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((6, 7), (5, 7)),
    ((6, 7), (7, 6)),
    ((2, 6, 7), (3, 6, 7)),
)
"""Shapes that fit in no way."""


def add(x: object, update: object, note: str = "") -> Probe:
    """One call of `add_residual`."""
    arguments = {"x": np.asarray(x, float), "update": np.asarray(update, float)}
    return Probe(ADD_RESIDUAL, arguments, note)


def block(x: object, weights: list[Array], note: str = "") -> Probe:
    """One call of `attention_block`, with w_q, w_k, w_v and w_o."""
    arguments = zip(ATTENTION_BLOCK.axes, (x, *weights), strict=True)
    return Probe(ATTENTION_BLOCK, {name: np.asarray(a, float) for name, a in arguments}, note)


def random_add(rng: np.random.Generator, *size: int) -> tuple[Array, Array]:
    """A stream and an update of the same shape."""
    return rng.normal(size=size), rng.normal(size=size)


def random_block(
    rng: np.random.Generator,
    token: int,
    d_model: int,
    d_k: int,
    d_v: int,
    batch: tuple[int, ...] = (),
) -> tuple[Array, list[Array]]:
    """A stream of unit variance, and weights that keep it: each scales with 1/√(its rows)."""
    sizes = ((d_model, d_k), (d_model, d_k), (d_model, d_v), (d_v, d_model))
    weights = [rng.normal(size=size) / np.sqrt(size[0]) for size in sizes]
    return rng.normal(size=(*batch, token, d_model)), weights


def add_shapes(rng: np.random.Generator) -> list[Probe]:
    """None, one and two batch axes."""
    return [add(*random_add(rng, *batch, 6, 7)) for batch in BATCHES]


def block_shapes(rng: np.random.Generator) -> list[Probe]:
    """Every axis of another size; d_k is no square."""
    return [block(*random_block(rng, 6, 7, 5, 3, batch)) for batch in BATCHES]


def add_numbers(rng: np.random.Generator) -> list[Probe]:
    """Ordinary streams, updates much smaller and larger than the stream, equal axes on top."""
    x, update = random_add(rng, 2, 6, 7)
    return [
        *add_shapes(rng),
        add(x, update / 100, "an update much smaller than the stream"),
        add(x, update * 100, "an update much larger than the stream"),
        add(*random_add(rng, 5, 5), "as many tokens as features"),
    ]


def block_numbers(rng: np.random.Generator) -> list[Probe]:
    """Ordinary blocks, d_v larger than d_model, and equal axes on top."""
    return [
        *block_shapes(rng),
        block(*random_block(rng, 3, 6, 2, 8, (2,)), "d_v larger than d_model"),
        block(*random_block(rng, 6, 7, 5, 7), "values as wide as the stream"),
        block(*random_block(rng, 5, 5, 5, 5, (2,)), "all axes equal"),
    ]


def nothing_to_add(rng: np.random.Generator) -> list[Probe]:
    """Updates of zero, by themselves and behind a w_o of zero: what comes out is x."""
    x, (w_q, w_k, w_v, w_o) = random_block(rng, 3, 4, 5, 2, (2,))
    return [
        add(x, 0 * x, "the update is 0: the stream is x"),
        block(x, [w_q, w_k, w_v, 0 * w_o], "w_o is 0: the stream is x"),
    ]


def output_weights(rng: np.random.Generator) -> list[Probe]:
    """One stream, three w_o: only what W_O does to the mixed values can tell them apart."""
    x, (w_q, w_k, w_v, w_o) = random_block(rng, 6, 5, 2, 5, (2,))
    variants = {"w_o is random": w_o, "w_o is the identity": np.eye(5), "w_o is transposed": w_o.T}
    return [block(x, [w_q, w_k, w_v, matrix], note) for note, matrix in variants.items()]


def stretched(rng: np.random.Generator) -> list[Probe]:
    """Unequal shapes that PyTorch adds without a word."""
    return _unequal(rng, UNEQUAL, "the shapes differ, and PyTorch would stretch the smaller one")


def misfits(rng: np.random.Generator) -> list[Probe]:
    """Unequal shapes that PyTorch refuses as well, though not with a ValueError."""
    return _unequal(rng, MISFITS, "the shapes differ")


def edges(rng: np.random.Generator) -> list[Probe]:
    """The smallest inputs."""
    return [
        add(*random_add(rng, 1, 1), "one token, d_model = 1"),
        add(*random_add(rng, 1, 6, 7), "a batch of one"),
        block(*random_block(rng, 1, 7, 5, 3), "one token"),
        block(*random_block(rng, 6, 7, 1, 3), "d_k = 1"),
        block(*random_block(rng, 6, 7, 5, 1), "d_v = 1"),
        block(*random_block(rng, 6, 7, 5, 3, (1,)), "a batch of one"),
    ]


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [
        add(*random_add(rng, 2, 3, 4)),
        block(*random_block(rng, 4, 5, 2, 3, (2,))),
    ]


def worked_add(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down: Y = X + U."""
    example = worked_example()
    return [add(example.X, example.U, "the worked example")]


def worked_block(_: np.random.Generator) -> list[Probe]:
    """The worked example from X and the weights to Y."""
    example = worked_example()
    weights = [example.W_Q, example.W_K, example.W_V, example.W_O]
    return [block(example.X, weights, "the worked example")]


def diagnostic(rng: np.random.Generator) -> list[Probe | Experiment]:
    """What known mistakes are told apart by."""
    return [
        *(refuses(probe, ValueError) for probe in [*stretched(rng), *misfits(rng)]),
        *add_numbers(rng),
        *block_numbers(rng),
        *nothing_to_add(rng),
        *map(shares_nothing, nothing_to_add(rng)),
        *output_weights(rng),
        *edges(rng),
    ]


def _unequal(
    rng: np.random.Generator,
    pairs: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    note: str,
) -> list[Probe]:
    return [add(rng.normal(size=x), rng.normal(size=update), note) for x, update in pairs]
