"""Row softmax in NumPy, float64, and how far right code in a smaller dtype may be off."""

import numpy as np

from grader.suite import Array


def row_softmax(scores: Array) -> Array:
    """exp(s) / Σ exp(s) along the last axis, shifted by each row's maximum.

    An entry of -inf gets weight 0. (Blanchard, Higham and Higham 2021, equation 1.4)
    """
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    total: Array = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return total


def row_softmax_error(scores: Array) -> Array:
    """Error bound in units of roundoff.

    The shifted and the logsumexp form are both off by a relative error of about n_k + max |s| units
    (Blanchard, Higham and Higham 2021, theorems 4.2 and 4.3): each weight is the exponential of a
    rounded score, and an absolute error in a score is a relative error in its weight.
    """
    largest = np.where(np.isfinite(scores), np.abs(scores), 0).max(axis=-1, keepdims=True)
    error: Array = row_softmax(scores) * (scores.shape[-1] + 2 * largest + 4)
    return error
