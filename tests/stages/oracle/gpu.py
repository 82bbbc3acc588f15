"""One head of self-attention in NumPy, float64, and how far right code may be off."""

from collections.abc import Sequence

import numpy as np

from grader.suite import Array
from grader.suite.expect import SAFETY
from stages.oracle.mixing import attention, attention_error
from stages.oracle.projection import project, project_error

ROUNDOFF = float(np.finfo(np.float64).eps) / 2
"""The unit roundoff of float64."""


def single_head(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """attention(X W_Qᵀ, X W_Kᵀ, X W_Vᵀ), the weights stored as `nn.Linear` stores them.

    Args:
        x: tokens, shape (..., n, d_model).
        w_q: shape (d_k, d_model), as the other two.
        w_k: likewise.
        w_v: likewise.
    """
    return attention(*(project(x, weight.T) for weight in (w_q, w_k, w_v)))


def single_head_error(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """Error bound in units of roundoff, to first order.

    What the projections are off goes into attention, which adds its own: see their oracles.
    """
    weights = [weight.T for weight in (w_q, w_k, w_v)]
    inputs = [project(x, weight) for weight in weights]
    off = [project_error(x, weight) for weight in weights]
    error: Array = attention_error(*inputs, *off)
    return error


def single_head_double_error(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """A millionth of the largest value of each feature, in units of float64's roundoff.

    Far looser than float64 allows: a constant such as 1/√d_k may be kept in float32, where it is
    off by up to 6e-8 of itself, and the scores and their weights take that over. Still thousands
    of times smaller than what any mistake changes.
    """
    values = np.abs(project(x, w_v.T)).max(axis=-2, keepdims=True)
    error: Array = (values + 0 * single_head(x, w_q, w_k, w_v)) * 1e-6 / (SAFETY * ROUNDOFF)
    return error


def median_range(seconds: Sequence[float]) -> tuple[float, float]:
    """The lower and the upper median; every usual median lies between them."""
    ordered = np.sort(np.asarray(seconds))
    return float(ordered[(len(ordered) - 1) // 2]), float(ordered[len(ordered) // 2])
