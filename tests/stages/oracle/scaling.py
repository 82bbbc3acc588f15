"""Scaled scores in NumPy, float64, and how far right code in a smaller dtype may be off."""

import numpy as np

from grader.suite import Array


def scale_scores(scores: Array, d_k: int) -> Array:
    """S / √d_k. (Vaswani et al. 2017, equation 1)"""
    scaled: Array = scores / np.sqrt(d_k)
    return scaled


def scale_scores_error(scores: Array, d_k: int) -> Array:
    """Error bound in units of roundoff: four roundings, γ_4 (Higham 2002, section 3.1).

    d_k as a number of the dtype, its root, the reciprocal of that, and the product: whoever divides
    by the root, or leaves the root to Python, rounds less often.
    """
    return 4 * np.abs(scale_scores(scores, d_k))
