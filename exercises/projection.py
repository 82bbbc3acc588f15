"""Stage 1: queries, keys and values.

One token is one row of `x`. Three weight matrices, the parameters of attention, turn every row
into a query (what this token looks for), a key (what it offers) and a value (what it hands over):

    Q = X W_Q,    K = X W_K,    V = X W_V

Q, K and V are activations: they are computed afresh for every input, while the W stay.
"""

from torch import Tensor


def project(x: Tensor, weight: Tensor) -> Tensor:
    """Multiply every token by one weight matrix: X W.

    Args:
        x: tokens, shape (..., n, d_model). The leading dimensions are batches, or absent.
        weight: parameters, shape (d_model, d): one row for each feature of a token.

    Returns:
        Projected tokens, shape (..., n, d). No bias is added.
    """
    raise NotImplementedError("multiply every row of x by weight")


def project_qkv(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Make the queries, keys and values of every token, each with its own weights.

    Args:
        x: tokens, shape (..., n, d_model).
        w_q: query weights W_Q, shape (d_model, d_k).
        w_k: key weights W_K, shape (d_model, d_k).
        w_v: value weights W_V, shape (d_model, d_v).

    Returns:
        (q, k, v) in this order, shapes (..., n, d_k), (..., n, d_k) and (..., n, d_v).
    """
    raise NotImplementedError("project x three times and return (q, k, v)")
