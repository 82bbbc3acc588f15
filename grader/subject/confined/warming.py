"""What a zygote does once, so that no worker has to: import, and touch what imports lazily."""

from __future__ import annotations

import torch
from torch import nn

from ...devices import benches
from .. import host
from . import poison, worker

_ = (host, worker)


def warm() -> None:
    """Use PyTorch as a submission will, on one thread.

    One thread only: a pool of threads would not survive the fork, and a worker that used it would
    wait for ever.
    """
    torch.set_num_threads(1)
    poison.kernels()
    x = torch.ones(2, 3, 4, requires_grad=True)
    layer = nn.Linear(4, 4)
    y = layer(x).softmax(-1) @ x.exp().transpose(-2, -1) / x.amax(-1, keepdim=True)
    y.sum().backward()
    (gradient,) = torch.autograd.grad(x.exp(), x, torch.ones_like(x))  # imports 500 modules
    nn.functional.scaled_dot_product_attention(x, x, x)
    repr(gradient), str(layer)
    for name in ("meta", "cost"):
        bench = benches.make(name, {})
        with bench:
            bench.call(layer, (x.detach(),), {})
