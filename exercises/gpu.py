"""Stage 7: run attention on an accelerator, and time it rightly.

Three rules make code run well on a GPU and unchanged on a CPU: tensors are made where the input
is (`x.device`), nothing travels to the host and back, and one batched operation replaces a loop.

An accelerator works through a queue: a call returns as soon as its work is queued. A clock that
is read without waiting for the queue measures the queueing, not the work.
"""

import math
import statistics
import time

import torch
from torch import Tensor, nn


def pick_device() -> torch.device:
    """Choose where to run: the accelerator if this machine has one, else the CPU."""
    raise NotImplementedError("return the accelerator's device if there is one, else the CPU's")


class SingleHeadAttention(nn.Module):
    """One head of self-attention with its own parameters W_Q, W_K and W_V.

    Each is a bias-free `nn.Linear(d_model, d_k)`, which stores its weight as (d_k, d_model): the
    transpose of the matrices of stage 1. Here d_v = d_k, as in the article.

    Args:
        d_model: features of a token in the stream.
        d_k: features of a query, a key and a value.
    """

    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__()
        raise NotImplementedError("make the three bias-free linear layers W_Q, W_K and W_V")

    def forward(self, x: Tensor) -> Tensor:
        """Let every token attend to every token, on the device where x is.

        Args:
            x: tokens, shape (..., n, d_model).

        Returns:
            Attention's output, shape (..., n, d_k), same device and dtype.
        """
        raise NotImplementedError("project, score, scale, softmax and mix, without leaving x's device")


def time_forward(module: nn.Module, x: Tensor, repeats: int = 20, warmup: int = 3) -> float:
    """Measure one forward pass of a module, on the device where x is.

    Args:
        module: what to time; it is already on x's device.
        x: its input, shape (..., n, d_model).
        repeats: how many passes are timed, each by itself.
        warmup: how many passes come first and are not timed.

    Returns:
        The median time of one pass, in seconds.
    """
    raise NotImplementedError("warm up, then time each pass; wait for the device before reading the clock")
