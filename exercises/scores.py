"""Stage 2: how well does each query match each key?

The score of query i and key j is their dot product, a sum over the d_k features they share:

    S = Q Kᵀ,    S[i, j] = Σ_c Q[i, c] · K[j, c]

A row of S belongs to one query, a column to one key.
"""

from torch import Tensor


def attention_scores(q: Tensor, k: Tensor) -> Tensor:
    """Compare every query with every key: Q Kᵀ.

    Args:
        q: queries, shape (..., n_q, d_k).
        k: keys, shape (..., n_k, d_k).

    Returns:
        Scores, shape (..., n_q, n_k). They are not scaled yet: that is the next stage.
    """
    raise NotImplementedError("multiply the queries by the transposed keys")
