"""Inputs for attention scores: which mistake shows on which is in the docs' proof matrix."""

import numpy as np

from grader.figures import worked_example
from grader.suite import Array, Function, Probe
from stages.oracle import scores as oracle

ATTENTION_SCORES = Function(
    name="attention_scores",
    axes={"q": "... query d_k", "k": "... key d_k"},
    results={"scores": "... query key"},
    oracle=oracle.attention_scores,
    error=oracle.attention_scores_error,
)


def probe(q: Array, k: Array, note: str = "") -> Probe:
    """A call of `attention_scores`."""
    return Probe(ATTENTION_SCORES, {"q": q, "k": k}, note)


def drawn(
    rng: np.random.Generator, batch: tuple[int, ...], n_q: int, n_k: int, d_k: int, note: str = ""
) -> Probe:
    """Random queries and keys, never the same."""
    q, k = rng.normal(size=(*batch, n_q, d_k)), rng.normal(size=(*batch, n_k, d_k))
    return probe(q, k, note)


def shapes(rng: np.random.Generator) -> list[Probe]:
    """None, one and two batch axes; no two axes of the same size."""
    return [drawn(rng, batch, n_q=6, n_k=4, d_k=5) for batch in ((), (2,), (3, 2))]


def numbers(rng: np.random.Generator) -> list[Probe]:
    """Sums short and long, batch items that differ, and equal axes on top."""
    return [
        *shapes(rng),
        drawn(rng, (2,), 3, 7, 90, "long queries and keys"),
        drawn(rng, (2,), 6, 6, 5, "as many queries as keys"),
        drawn(rng, (), 5, 5, 5, "as many queries as keys as features"),
        drawn(rng, (2,), 5, 5, 5, "as many queries as keys as features"),
        drawn(rng, (5,), 5, 5, 5, "every axis the same"),
    ]


def edges(rng: np.random.Generator) -> list[Probe]:
    """The smallest inputs."""
    return [
        drawn(rng, (), 1, 1, 5, "one query, one key"),
        drawn(rng, (2,), 1, 4, 5, "one query"),
        drawn(rng, (2,), 6, 1, 5, "one key"),
        drawn(rng, (1,), 6, 4, 5, "a batch of one"),
        drawn(rng, (2,), 6, 4, 1, "d_k = 1"),
        drawn(rng, (1, 1), 1, 1, 1, "one number each"),
    ]


def batches(rng: np.random.Generator) -> list[Probe]:
    """One and two batch axes; as many items as queries or keys on top."""
    return [
        drawn(rng, (2,), 6, 4, 5),
        drawn(rng, (3, 2), 6, 4, 5),
        drawn(rng, (5,), 5, 5, 3, "as many batch items as queries and keys"),
    ]


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [drawn(rng, (2,), 3, 4, 5), drawn(rng, (), 3, 3, 2, "as many queries as keys")]


def worked(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down, and its small sister of two tokens."""
    cat, pair = worked_example(), worked_example().two_tokens
    return [
        probe(cat.Q, cat.K, "the worked example"),
        probe(pair["Q"], pair["K"], "the example of two tokens"),
    ]


def diagnostic(rng: np.random.Generator) -> list[Probe]:
    """What known mistakes are told apart by."""
    return [*numbers(rng), *edges(rng), *batches(rng)]
