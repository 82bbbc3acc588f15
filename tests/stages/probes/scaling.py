"""Inputs for the scaling: which mistake shows on which is in the docs' proof matrix."""

import numpy as np
import torch

from grader.diagnosis import Experiment
from grader.figures import worked_example
from grader.subject import Subject
from grader.suite import Array, Function, Probe
from stages.oracle import scaling as oracle

SCALE_SCORES = Function(
    name="scale_scores",
    axes={"scores": "... query key", "d_k": ""},
    results={"scaled": "... query key"},
    oracle=oracle.scale_scores,
    error=oracle.scale_scores_error,
)


def probe(scores: Array, d_k: int, note: str = "") -> Probe:
    """A call of `scale_scores`."""
    return Probe(SCALE_SCORES, {"scores": scores, "d_k": d_k}, note)


def drawn(rng: np.random.Generator, size: tuple[int, ...], d_k: int, note: str = "") -> Probe:
    """Scores of both signs, none so close to 0 that half precision would lose digits."""
    scores = rng.choice([-1, 1], size=size) * rng.uniform(0.5, 4, size=size)
    return probe(scores, d_k, note)


def shapes(rng: np.random.Generator) -> list[Probe]:
    """None, one and two batch axes; no two axes of the same size, and d_k unlike any of them."""
    return [drawn(rng, size, d_k=7) for size in ((6, 5), (2, 6, 5), (3, 2, 6, 5))]


def numbers(rng: np.random.Generator) -> list[Probe]:
    """Several d_k, none with a whole root; equal axes on top."""
    return [
        drawn(rng, (2, 6, 4), 5, "√5 = 2.236, not 2"),
        drawn(rng, (2, 6, 4), 7, "√7 = 2.646, not 2 or 3"),
        drawn(rng, (3, 2, 6, 5), 12, "√12 = 3.464, not 3"),
        drawn(rng, (2, 4, 3), 40),
        drawn(rng, (6, 5), 200),
        drawn(rng, (2, 5, 5), 3, "as many queries as keys"),
        drawn(rng, (5, 5), 5, "as many queries as keys as features"),
    ]


def edges(rng: np.random.Generator) -> list[Probe]:
    """The smallest inputs."""
    return [
        drawn(rng, (6, 5), 1, "d_k = 1, so no score changes"),
        drawn(rng, (1, 1), 7, "one query, one key"),
        drawn(rng, (1, 6, 5), 7, "a batch of one"),
        drawn(rng, (1, 1), 1, "one score, d_k = 1"),
        probe(np.zeros((3, 4)), 7, "every score 0"),
    ]


def same_d_k(rng: np.random.Generator) -> list[Probe]:
    """Scores of many sizes and shapes, one d_k."""
    sizes = ((6, 5), (5, 6), (2, 3, 9), (9, 2, 2), (3, 2, 4, 8))
    return [*(drawn(rng, size, 7) for size in sizes), probe(300 * rng.uniform(1, 2, (4, 3)), 7)]


def same_scores(rng: np.random.Generator) -> list[Probe]:
    """The same scores, d_k growing."""
    scores = rng.uniform(0.5, 4, size=(2, 6, 5))
    return [probe(scores, d_k) for d_k in (1, 5, 12, 40, 200)]


def saturating(rng: np.random.Generator) -> list[Probe]:
    """S = Q Kᵀ for independent features of variance 1, as d_k grows.

    Queries have length √d_k, the length that they have on average. So every row of S / √d_k is a
    row of independent numbers of variance 1, for every d_k.
    """
    found = []
    for d_k in (4, 12, 60, 250, 1024):
        q, k = rng.normal(size=(64, d_k)), rng.normal(size=(128, d_k))
        q *= np.sqrt(d_k) / np.linalg.norm(q, axis=-1, keepdims=True)
        found.append(probe(q @ k.T, d_k, "independent features of variance 1"))
    return found


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [drawn(rng, (2, 3, 4), 7), drawn(rng, (3, 3), 5, "as many queries as keys")]


def worked(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down."""
    cat = worked_example()
    return [probe(cat.S, cat.d_k, "the worked example")]


def saturated_row(_: np.random.Generator) -> list[Probe]:
    """The article's row of scores, [24, 13, 8, 12] at d_k = 64."""
    return [probe(worked_example().saturation_raw[np.newaxis], 64, "the article's row")]


def diagnostic(rng: np.random.Generator) -> list[Probe | Experiment]:
    """What known mistakes are told apart by."""
    return [*shapes(rng), *numbers(rng), *edges(rng), *same_d_k(rng), OWN_TENSOR]


def _of_one(student: Subject) -> dict[str, str]:
    scores = torch.ones(2, 3)
    same = student.scale_scores(scores, 1).data_ptr() == scores.data_ptr()
    return {_FOR_ONE: "the caller's own tensor" if same else "a new tensor"}


_FOR_ONE = "the result is"
OWN_TENSOR = Experiment("scale_scores", "d_k = 1", _of_one, {_FOR_ONE: "a new tensor"})
"""Tells whether d_k = 1 is a special case."""
