"""The residual stream in NumPy, float64, and how far right code in a smaller dtype may be off."""

import numpy as np

from grader.suite import Array
from stages.oracle.mixing import attention, attention_error


def add_residual(x: Array, update: Array) -> Array:
    """x + update, for equal shapes."""
    total: Array = np.add(x, update)
    return total


def add_residual_error(x: Array, update: Array) -> Array:
    """Error bound in units of roundoff: one addition (Higham 2002, equation 2.4)."""
    return np.abs(x + update)


def attention_block(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array) -> Array:
    """x + attention(X W_Q, X W_K, X W_V) W_O."""
    q, k, v = (_project(x, weight) for weight in (w_q, w_k, w_v))
    return add_residual(x, _project(attention(q, k, v), w_o))


def attention_block_error(x: Array, w_q: Array, w_k: Array, w_v: Array, w_o: Array) -> Array:
    """Error bound in units of roundoff, to first order.

    A projection is off by n units of |X| |W| for its sum of n products (Higham 2002, equation
    3.5). Attention adds to what its inputs are off, W_O carries that on and adds its own, and one
    addition comes last.
    """
    inputs = [_project(x, weight) for weight in (w_q, w_k, w_v)]
    off = [_project_error(x, weight) for weight in (w_q, w_k, w_v)]
    mixed = attention(*inputs)
    carried = _project(attention_error(*inputs, *off), np.abs(w_o))
    in_update = carried + _project_error(mixed, w_o)
    return in_update + add_residual_error(x, _project(mixed, w_o))


def _project(x: Array, weight: Array) -> Array:
    projected: Array = np.einsum("...nm,md->...nd", x, weight)
    return projected


def _project_error(x: Array, weight: Array) -> Array:
    error: Array = _project(np.abs(x), np.abs(weight)) * x.shape[-1]
    return error
