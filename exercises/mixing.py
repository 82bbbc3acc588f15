"""Stage 5: mix the values, and put the whole formula together.

Every query gets a weighted average of the values, with its own row of weights:

    O = A V,    O[i] = Σ_j A[i, j] · V[j]

The weights of a row are not negative and add up to one, so every output lies between the values:
attention moves information, it does not invent any.

    attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V        (Vaswani et al. 2017, equation 1)
"""

from torch import Tensor

from .scaling import scale_scores
from .scores import attention_scores
from .softmax import row_softmax


def mix_values(weights: Tensor, v: Tensor) -> Tensor:
    """Average the values with each query's weights: A V.

    Args:
        weights: attention weights, shape (..., n_q, n_k), rows add up to 1.
        v: values, shape (..., n_k, d_v).

    Returns:
        One mix of values for each query, shape (..., n_q, d_v).
    """
    raise NotImplementedError("multiply the weights by the values")


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Scaled dot-product attention, from the stages before: softmax(Q Kᵀ / √d_k) V.

    Args:
        q: queries, shape (..., n_q, d_k).
        k: keys, shape (..., n_k, d_k).
        v: values, shape (..., n_k, d_v).

    Returns:
        Attention's output, shape (..., n_q, d_v).
    """
    raise NotImplementedError("scores, scaled by d_k, softmax of each row, mixed values")
