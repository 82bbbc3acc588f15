"""Inside a worker: it loads a submission and does what it is asked, one request at a time.

Once the submission is loaded, everything in this process may have been changed by it. What
answers say is believed by nobody: they are values to be compared, and text to be shown.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .. import errors
from ..host import Host
from ..package import loaded_files
from ..protocol import Sources
from ..values import reduced
from . import frames, limits, poison
from .frames import BadFrame, Channel, Closed
from .graphs import Graphs
from .rehearsed import Call, Rehearsed
from .scripts import Line, together
from .wire import Incoming, Node, Outgoing

MOST_TEXT = 4000
MOST_FRAMES = 20

Storages = Mapping[str, Tensor]
Answer = tuple[dict[str, Any], dict[str, Tensor]]


def run(
    connection: socket.socket,
    memory: int,
    confine: Callable[[], None],
    scripts: Sequence[Rehearsed] = (),
) -> None:
    """Confine this process, say how that went, and serve until the other side is gone.

    Args:
        connection: to the trusted process.
        memory: MiB that the submission may use, for messages.
        confine: puts the controls in place; raises OSError where one cannot be.
        scripts: what checks are known to ask.
    """
    channel = Channel(connection)
    try:
        confine()
    except OSError as error:
        channel.send({"trouble": str(error)})
        return
    channel.send({})
    with contextlib.suppress(Closed):
        Worker(memory, scripts).serve(channel)


class Worker:
    """One submission, and what of it the other side may still refer to."""

    def __init__(self, memory: int, scripts: Sequence[Rehearsed] = ()) -> None:
        self._memory = memory
        self._scripts = scripts
        self.host: Host | None = None
        self._modules: list[nn.Module] = []
        self._linears: list[nn.Linear] = []
        self._graphs = Graphs()
        self._bench = ExitStack()
        self._seen: Mapping[str, Any] = {}

    def serve(self, channel: Channel) -> None:
        """Answer requests until the other side is gone."""
        while True:
            self.answer(channel)

    def answer(self, channel: Channel) -> None:
        """Answer one request, or a whole script of them."""
        request, storages = channel.receive()
        if "perform" in request:
            channel.send_packed(self._performance(request["perform"]))
        else:
            header, memory = self._answer(Call(request, storages))
            channel.send_packed(self._frame(header | _refused(), memory))

    def _performance(self, numbers: Sequence[int]) -> bytes:
        """Scripts performed one after the other, up to the first that prints, a frame each.

        What is printed belongs to the check that is under way, so none may have gone on by then.
        """
        before, performed = _printed(), []
        for number in numbers:
            performed.append(self._frame(*self._performed(number)))
            if _printed() != before:
                break
        return b"".join((frames.packed({"performed": len(performed)} | _refused()), *performed))

    def _frame(self, header: dict[str, Any], memory: dict[str, Tensor]) -> bytes:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        try:
            return frames.packed(header, memory)
        except BadFrame as error:
            return frames.packed({"error": self._told(error)})

    def _performed(self, number: int) -> Answer:
        """All answers to a script."""
        lines = [Line(*self._answer(call)) for call in self._scripts[number].calls()]
        return {"answers": [line.header for line in lines]}, together(lines)

    def _answer(self, call: Call) -> Answer:
        try:
            return self._done(call)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
            return {"error": self._told(error)}, {}

    def _done(self, call: Call) -> Answer:
        request, given = call.request, call.given()
        if request["call"] == 0:  # a check begins
            self._bench.close()
            self._graphs.clear()
            self._modules.clear()
        self._graphs.forget(request.get("forget", ()))
        self._linears.clear()
        value = call.value(given, self._made)
        torch.set_grad_enabled(request["grad"])
        result = _OPERATIONS[request["do"]](self, value)
        outgoing = Outgoing("r", self._node, given)
        answer = {"result": outgoing.node(reduced(result))}
        answer["tensors"], body = outgoing.pack()
        self._graphs.keep(request["call"], outgoing.tensors, given.tensors)
        said = {"moved": given.moved(), "modes": [linear.training for linear in self._linears]}
        answer |= {name: what for name, what in said.items() if what}
        return answer, body | given.changed()

    def _load(self, value: Any) -> None:
        sources, forbidden, allowed = Sources(*value[:3]), value[3], value[4]
        poison.allow(allowed)
        if self.host is not None:
            self.host.close()
        _as_at_the_start()
        self.host = Host(sources, forbidden, watched=False)

    def _loaded(self) -> Host:
        if self.host is None:
            raise BadFrame("nothing is loaded yet")
        return self.host

    def _function(self, value: Any) -> Any:
        name, args, kwargs = value
        return self._loaded().call(name, args, kwargs)

    def _at_once(self, value: Any) -> list[Any]:
        name, calls = value
        return [self._loaded().attempt(name, args) for args in calls]

    def _module(self, value: Any) -> Any:
        module, args = value
        return self._loaded().apply(module, args, {})

    def _backward(self, value: Any) -> Any:
        return self._graphs.backward(*value)

    def _parameters(self, value: nn.Module) -> dict[str, Tensor]:
        return {name: tensor.detach().clone() for name, tensor in value.named_parameters()}

    def _load_parameters(self, value: Any) -> None:
        module, parameters = value
        own = {name: tensor.clone() for name, tensor in parameters.items()}
        module.load_state_dict(own, strict=False, assign=True)

    def _train(self, value: Any) -> None:
        module, mode = value
        module.train(mode)

    def _training(self, value: nn.Module) -> bool:
        return value.training

    def _enter(self, value: Any) -> None:
        name, settings = value
        self._seen = self._bench.enter_context(self._loaded().on(name, settings))

    def _leave(self) -> Mapping[str, Any]:
        self._bench.close()
        return dict(self._seen)

    def _node(self, value: Any) -> Node:
        """How a value leaves that is no plain one: a module stays, and is referred to."""
        if not isinstance(value, nn.Module):
            return {"opaque": type(value).__name__[:100]}
        if not any(value is module for module in self._modules):
            self._modules.append(value)
        return {"module": next(n for n, m in enumerate(self._modules) if m is value)}

    def _made(self, kind: str, content: Any, incoming: Incoming) -> nn.Module:
        """A module that the other side refers to, or describes."""
        if kind == "module":
            module: nn.Module = self._modules[content]
            return module
        linear = _linear(content, incoming.tensors)
        self._linears.append(linear)
        return linear

    def _told(self, error: BaseException) -> dict[str, Any]:
        kind, text = type(error).__name__, _text(error)
        base = errors.builtin_base(type(error))
        if _out_of_memory(error, text):
            kind = base = "MemoryError"
            text = limits.of_memory(self._memory)
        remark = limits.of_system(error)
        passed = errors.own_frames(error, loaded_files())[-MOST_FRAMES:]
        return {
            "kind": kind[:100],
            "base": base,
            "text": f"{text[:MOST_TEXT]} ({remark})" if remark else text[:MOST_TEXT],
            "frames": [[frame.file, frame.line, frame.function] for frame in passed],
        }


_OPERATIONS: Mapping[str, Callable[[Worker, Any], Any]] = {
    "load": Worker._load,
    "function": Worker._function,
    "at once": Worker._at_once,
    "module": Worker._module,
    "backward": Worker._backward,
    "parameters": Worker._parameters,
    "load parameters": Worker._load_parameters,
    "train": Worker._train,
    "training": Worker._training,
    "enter": Worker._enter,
    "leave": lambda worker, _: worker._leave(),
}


def _printed() -> int:
    """The length of the file that everything printed goes to."""
    return os.fstat(1).st_size


def _refused() -> dict[str, Any]:
    """What was refused since the submission was loaded, for those that would have allowed it."""
    return {"refused": sorted(poison.reached)} if poison.reached else {}


def _as_at_the_start() -> None:
    """Every stage finds the same: what one has drawn or set is nothing to the next."""
    poison.reached.clear()
    random.seed(0)
    np.random.seed(0)
    torch.default_generator.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)


def _linear(content: dict[str, Any], tensors: list[Tensor]) -> nn.Linear:
    """An `nn.Linear` by value: it lies in the very memory that came, so changes are seen."""
    weight, bias = content["weight"], content["bias"]
    for index in (weight, bias):
        if index is not None:
            tensors[index] = nn.Parameter(tensors[index], tensors[index].requires_grad)
    features_out, features_in = tensors[weight].shape
    linear = nn.Linear(features_in, features_out, device="meta")
    linear.register_parameter("weight", tensors[weight])
    linear.register_parameter("bias", None if bias is None else tensors[bias])
    return linear.train(content["training"])


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the submission's own __str__
        return ""


def _out_of_memory(error: BaseException, text: str) -> bool:
    said = isinstance(error, RuntimeError) and any(sign in text for sign in limits.OUT_OF_MEMORY)
    return said or isinstance(error, MemoryError)
