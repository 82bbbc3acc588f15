"""Inputs for row softmax: which mistake shows on which is in the docs' proof matrix."""

import numpy as np

from grader.diagnosis import Step
from grader.figures import worked_example
from grader.suite import Function, Probe
from stages.oracle import softmax as oracle

ROW_SOFTMAX = Function(
    name="row_softmax",
    axes={"scores": "... query key"},
    results={"weights": "... query key"},
    oracle=oracle.row_softmax,
    error=oracle.row_softmax_error,
)
STEPS = {
    "row_softmax": (
        Step(
            "shifted scores",
            "... query key",
            ("scores",),
            lambda s: s - s.max(axis=-1, keepdims=True),
        ),
        Step("exponentials", "... query key", ("shifted scores",), np.exp),
        Step(
            "sums of exponentials",
            "... query key",
            ("exponentials",),
            lambda e: 0 * e + e.sum(axis=-1, keepdims=True),
        ),
        Step("weights", "... query key", ("exponentials", "sums of exponentials"), np.divide),
    )
}


def probe(scores: object, note: str = "") -> Probe:
    return Probe(ROW_SOFTMAX, {"scores": np.asarray(scores, dtype=np.float64)}, note)


def shapes(rng: np.random.Generator) -> list[Probe]:
    """None, one and two batch axes; no two axes of the same size."""
    return [probe(rng.normal(size=size)) for size in ((6, 5), (2, 6, 5), (3, 2, 6, 5))]


def numbers(rng: np.random.Generator) -> list[Probe]:
    """Ordinary scores: both signs, batch items that differ, and equal axes on top."""
    return [
        *shapes(rng),
        probe(3 * rng.normal(size=(2, 7, 4)), "scores of about 3"),
        probe(rng.normal(size=(2, 5, 5)), "as many queries as keys"),
        probe(rng.normal(size=(5, 5)), "as many queries as keys"),
    ]


def edges(rng: np.random.Generator) -> list[Probe]:
    """The smallest inputs."""
    return [
        probe(rng.normal(size=(1, 1)), "one query, one key"),
        probe(rng.normal(size=(1, 6)), "one query"),
        probe(rng.normal(size=(1, 4, 3)), "a batch of one"),
        probe(np.zeros((3, 4)), "all scores equal"),
    ]


def extremes(rng: np.random.Generator) -> list[Probe]:
    """Rows that overflow, underflow, or lie far from each other."""
    rows = rng.normal(size=(4, 5)) + np.array([[1e4], [-1e4], [0.0], [88.0]])
    return [
        probe(rows, "rows near 1e4, -1e4, 0 and 88"),
        probe(rng.normal(size=(2, 3, 5)) * 300, "scores of about 300"),
        probe([[1e4, -1e4, 0.0, 1.0, 2.0]], "one row from -1e4 to 1e4"),
        probe(rows[:3, :3], "as many queries as keys, rows near 1e4, -1e4 and 0"),
    ]


def masked(rng: np.random.Generator) -> list[Probe]:
    """Entries of -inf; each row keeps at least one finite score."""
    scores = rng.normal(size=(5, 6))
    scores[np.triu_indices(5, 2, 6)] = -np.inf
    low = rng.normal(size=(2, 4)) - 1e4
    low[:, 2] = -np.inf
    return [
        probe(scores, "-inf entries"),
        probe([[-np.inf, 2.0, -np.inf]], "one finite score"),
        probe(low, "-inf among scores near -1e4"),
    ]


def gradients(rng: np.random.Generator) -> list[Probe]:
    """Small, because the oracle's gradient is taken entry by entry."""
    return [
        probe(rng.normal(size=(2, 3, 4))),
        probe(rng.normal(size=(3, 3)), "as many queries as keys"),
        probe([[1.0, 1.0, 0.5]], "a tie for the maximum"),
    ]


def worked(_: np.random.Generator) -> list[Probe]:
    """The course's worked example, The cat sat down."""
    return [probe(worked_example().Z, "the worked example")]


def diagnostic(rng: np.random.Generator) -> list[Probe]:
    """What known mistakes are told apart by."""
    return [*numbers(rng), *edges(rng), *extremes(rng), *masked(rng), *about_to_overflow()]


def about_to_overflow() -> list[Probe]:
    """Scores just above 709.78, the largest that float64's exponential bears, first and later.

    A shift by the place of the maximum saves the rows in which it stands far enough on.
    """
    scores = np.tile(np.linspace(705, 708, 13), (3, 1))
    scores[[0, 1, 2], [0, 3, 12]] = 711, 711, 720
    return [probe(scores, "largest scores of 711, 711 and 720, at key 0, 3 and 12")]
