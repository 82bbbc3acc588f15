"""Stage 4: turn each row of scores into weights.

Exponentials make every score positive and turn differences into ratios; dividing by the row's sum
makes them add up to one. Each row is then a distribution over the keys:

    A[i, j] = exp(S[i, j]) / Σ_l exp(S[i, l])

exp(89) already overflows in float32. Taking the same number away from a whole row changes no
ratio, so the row's own maximum is taken away first and the largest exponential is exp(0) = 1.
"""

from torch import Tensor


def row_softmax(scores: Tensor) -> Tensor:
    """Turn every row of scores into attention weights, without any built-in softmax.

    Args:
        scores: scaled scores, shape (..., n_q, n_k), n_k at least 1. An entry may be -inf (a key
            that must not be attended to) as long as its row holds a finite one.

    Returns:
        Weights, same shape and dtype: finite, not negative, every row (last axis) adds up to 1.
        The weight of a -inf entry is 0.
    """
    raise NotImplementedError("shift each row by its maximum, exponentiate, divide by the row's sum")
