"""Projections in NumPy, float64, and how far right code in a smaller dtype may be off."""

import numpy as np

from grader.suite import Array


def project(x: Array, weight: Array) -> Array:
    """X W: every row of x times the weight matrix. (Vaswani et al. 2017, section 3.2.2)"""
    projected: Array = np.einsum("...nm,md->...nd", x, weight)
    return projected


def project_qkv(x: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array, Array]:
    """Q = X W_Q, K = X W_K, V = X W_V, in this order."""
    return project(x, w_q), project(x, w_k), project(x, w_v)


def project_error(x: Array, weight: Array) -> Array:
    """Error bound in units of roundoff: d_model · |X| |W|.

    A dot product of n terms, summed in any order, is off by at most γ_n |x|ᵀ|w|, and γ_n is n
    units of roundoff to first order (Higham 2002, section 3.1; section 3.5 for matrices).
    """
    error: Array = x.shape[-1] * project(np.abs(x), np.abs(weight))
    return error


def project_qkv_error(x: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array, Array]:
    """The bound of `project_error` for each of the three."""
    return project_error(x, w_q), project_error(x, w_k), project_error(x, w_v)
