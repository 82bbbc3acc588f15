"""Attention scores in NumPy, float64, and how far right code in a smaller dtype may be off."""

import numpy as np

from grader.suite import Array


def attention_scores(q: Array, k: Array) -> Array:
    """S[i, j] = Σ_c Q[i, c] · K[j, c]. (Vaswani et al. 2017, equation 1, before the scale)"""
    scores: Array = np.einsum("...ic,...jc->...ij", q, k)
    return scores


def attention_scores_error(q: Array, k: Array) -> Array:
    """Error bound in units of roundoff: d_k · |Q| |K|ᵀ.

    A dot product of n terms, summed in any order, is off by at most γ_n |q|ᵀ|k|, and γ_n is n
    units of roundoff to first order (Higham 2002, section 3.1; section 3.5 for matrices).
    """
    error: Array = q.shape[-1] * attention_scores(np.abs(q), np.abs(k))
    return error
