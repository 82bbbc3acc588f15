"""The figures' numbers again, in NumPy and apart from the package."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

DIMS = [2**power for power in range(10)]
FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "grader/figures/data/worked_example.json").read_text("utf-8")
)


def fact(name: str) -> Matrix:
    return np.array(FACTS[name], dtype=np.float64)


def softmax(scores: Matrix) -> Matrix:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Matrix = powers / powers.sum(axis=-1, keepdims=True)
    return weights


def block() -> dict[str, Matrix]:
    """Every quantity of the worked example, from X and the weights."""
    x, w_o = fact("X"), fact("W_O")
    q, k, v = (x @ fact(name) for name in ("W_Q", "W_K", "W_V"))
    s = q @ k.T
    z = s / np.sqrt(FACTS["d_k"])
    a = softmax(z)
    o = a @ v
    return {"Q": q, "K": k, "V": v, "S": s, "Z": z, "A": a, "O": o, "U": o @ w_o, "Y": x + o @ w_o}


def jacobian_norm(p: Matrix) -> float:
    return float(np.linalg.norm(np.diag(p) - np.outer(p, p)))


def entropy(p: Matrix) -> float:
    return float(-(p[p > 0] * np.log(p[p > 0])).sum())


def mulberry32(seed: int, count: int) -> list[float]:
    """The generator, one number at a time in Python's own integers, as its author wrote it."""
    numbers, state, mask = [], seed, 0xFFFFFFFF
    for _ in range(count):
        state = (state + 0x6D2B79F5) & mask
        t = ((state ^ state >> 15) * (state | 1)) & mask
        t ^= (t + ((t ^ t >> 7) * (t | 61))) & mask
        numbers.append((t ^ t >> 14) / 2**32 + 2**-33)
    return numbers


@cache
def cloud(seed: int, pairs: int = 240) -> Matrix:
    """Dot products of the first d components, (512, pairs)."""
    draws = np.array(mulberry32(seed, 512 * pairs * 2)).reshape(512, pairs, 2)
    radius, angle = np.sqrt(-2 * np.log(draws[..., 0])), 2 * np.pi * draws[..., 1]
    return np.asarray(np.cumsum(radius**2 * np.cos(angle) * np.sin(angle), axis=0))
