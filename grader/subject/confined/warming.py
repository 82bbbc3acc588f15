"""What a zygote does once, so that no worker has to: import, and touch what imports lazily."""

from __future__ import annotations

import socket
from typing import Any

import torch
from torch import Tensor, nn

from ...devices import benches
from . import poison
from .frames import Channel
from .wire import Outgoing
from .worker import Worker

ROUNDS = 20
"""Python rewrites a function's code in its first calls; a worker should find that done."""

_TEXT = """
def double(x): return x * 2
def fail(x): raise ValueError(x.shape)
"""


def warm() -> dict[str, list[int]]:
    """Use PyTorch as a submission will, on one thread, and then refuse what any stage may refuse.

    One thread only: a pool of threads would not survive the fork, and a worker that used it would
    wait for ever.

    Returns:
        What takes refusals back, for nobody but the trusted process; see `poison.refuse_all`.
    """
    torch.set_num_threads(1)
    x = torch.ones(2, 3, 4, requires_grad=True)
    layer = nn.Linear(4, 4)
    _usual(layer, x).sum().backward()  # type: ignore[no-untyped-call]
    (gradient,) = torch.autograd.grad(x.exp(), x, torch.ones_like(x))  # imports 500 modules
    nn.functional.scaled_dot_product_attention(x, x, x)
    repr(gradient), str(layer)
    for name in ("meta", "cost", "stand-in"):  # submissions may use meta tensors, too
        bench = benches.make(name, {})
        with bench:
            bench.call(_usual, (layer, x.detach()), {})
    _rehearse(x.detach())
    return poison.refuse_all()


def _usual(layer: nn.Module, x: Tensor) -> Tensor:
    """What submissions ask for: the first time costs PyTorch most where it only watches."""
    scores: Tensor = layer(x) @ x.exp().transpose(-2, -1) / x.amax(-1, keepdim=True)
    return (scores - scores.amax(-1, keepdim=True)).exp().sum(-1) + scores.softmax(-1).sum(-1)


def _rehearse(x: Tensor) -> None:
    """Serve a harmless submission as a worker would."""
    worker = Worker(0)
    for _ in range(2):
        _ask(worker, "load", ("m", {"m": _TEXT}, {}, [], []), 1)
        for number in range(ROUNDS):
            given = x.clone().requires_grad_(number % 2 == 1)
            _ask(worker, "function", ("double", (given,), {}), 1)
            if given.requires_grad:
                _ask(worker, "backward", (1, [x]), 2)
            _ask(worker, "function", ("fail", (given,), {}), 2)


def _ask(worker: Worker, operation: str, value: Any, call: int) -> None:
    outgoing = Outgoing("a", str)
    node = outgoing.node(value)
    layouts, memory = outgoing.pack()
    request = {"do": operation, "call": call, "grad": True, "value": node}
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Channel(ours).send(request | {"tensors": layouts}, memory)
        worker.answer(Channel(theirs))
        Channel(ours).receive()
