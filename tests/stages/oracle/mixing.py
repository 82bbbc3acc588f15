"""Mixing and attention in NumPy, float64, and how far right code in a smaller dtype may be off."""

import numpy as np

from grader.suite import Array
from stages.oracle.softmax import row_softmax, row_softmax_error


def mix_values(weights: Array, v: Array) -> Array:
    """Σ_j A[i, j] V[j]: one weighted average of the values for each query."""
    mixed: Array = np.einsum("...qk,...kd->...qd", weights, v)
    return mixed


def mix_values_error(weights: Array, v: Array) -> Array:
    """Error bound in units of roundoff: n_k |A| |V|.

    A sum of n products is off by at most n units of the sum of their sizes, in any order of
    summation (Higham 2002, equation 3.5).
    """
    error: Array = mix_values(np.abs(weights), np.abs(v)) * v.shape[-2]
    return error


def attention(q: Array, k: Array, v: Array) -> Array:
    """softmax(Q Kᵀ / √d_k) V (Vaswani et al. 2017, equation 1)."""
    return mix_values(row_softmax(_scaled_scores(q, k)), v)


def attention_error(
    q: Array,
    k: Array,
    v: Array,
    dq: Array | float = 0,
    dk: Array | float = 0,
    dv: Array | float = 0,
) -> Array:
    """Error bound in units of roundoff, to first order.

    1. A scaled score is off by d_k units of |Q| |K|ᵀ / √d_k for its sum, and by four more for
       the scale, which may be applied to the scores, to one factor, or by a root to each.
    2. An absolute error in a score is a relative error in its weight. The row's sum may be off
       by as much again, and softmax adds its own error.
    3. The mix adds its own error, as in `mix_values_error`.

    Args:
        q: queries, shape (..., n_q, d_k).
        k: keys, shape (..., n_k, d_k).
        v: values, shape (..., n_k, d_v).
        dq: how far off the queries are already, in units of roundoff; shape of q, or one number.
        dk: likewise for the keys.
        dv: likewise for the values.
    """
    rounding = (q.shape[-1] + 4) * np.abs(q) + dq
    in_scores = _scaled_scores(rounding, np.abs(k)) + _scaled_scores(np.abs(q), dk + 0 * k)
    scores = _scaled_scores(q, k)
    weights = row_softmax(scores)
    in_weights = row_softmax_error(scores) + 2 * weights * in_scores.max(axis=-1, keepdims=True)
    carried = mix_values(in_weights, np.abs(v)) + mix_values(weights, dv + 0 * v)
    return carried + mix_values_error(weights, v)


def _scaled_scores(q: Array, k: Array) -> Array:
    scores: Array = np.einsum("...qd,...kd->...qk", q, k) / np.sqrt(q.shape[-1])
    return scores
