"""Stage 6: add the result back to the stream.

The residual stream carries every token through the network. A block reads it and adds what it
found, so nothing that was there is lost, and the gradient has a way around the block:

    x ← x + f(x),    here    x + attention(Q, K, V) W_O

W_O turns the mixed values, d_v features wide, back into the stream's d_model features.
"""

from torch import Tensor

from .mixing import attention
from .projection import project, project_qkv


def add_residual(x: Tensor, update: Tensor) -> Tensor:
    """Add an update to the residual stream: x + update.

    Args:
        x: the stream, shape (..., n, d_model). It must be the same afterwards.
        update: what a block wants to add, exactly the same shape.

    Returns:
        The new stream, same shape.

    Raises:
        ValueError: the shapes differ. PyTorch would stretch the smaller one without a word.
    """
    raise NotImplementedError("refuse unequal shapes, then return the sum as a new tensor")


def attention_block(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Tensor:
    """One attention block around the stream: x + attention(Q, K, V) W_O.

    Args:
        x: the stream, shape (..., n, d_model).
        w_q: query weights, shape (d_model, d_k).
        w_k: key weights, shape (d_model, d_k).
        w_v: value weights, shape (d_model, d_v).
        w_o: output weights W_O, shape (d_v, d_model).

    Returns:
        The new stream, shape (..., n, d_model).
    """
    raise NotImplementedError("project, attend, project back with w_o, add to the stream")
