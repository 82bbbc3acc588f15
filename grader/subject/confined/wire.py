"""Values on the wire: plain ones as JSON, tensors as places in the storages that cross with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from ..values import Opaque
from .frames import BadFrame
from .places import NAMES, Known, Places, counts, known, placed

MOST_DEPTH = 12
MOST_TEXT = 1 << 20

Node = Any
"""JSON-ready: a plain value, or a list, or an object with one key that says what it is."""


class Outgoing:
    """Values on their way out.

    Args:
        prefix: what the names of the storages begin with.
        other: makes a node of a value of no type known here.
        arguments: the call's arguments, whose memory the other side has already.
    """

    def __init__(
        self, prefix: str, other: Callable[[Any], Node], arguments: Incoming | None = None
    ) -> None:
        self.tensors: list[Tensor] = []
        self._prefix = prefix
        self._other = other
        self._arguments = arguments
        self._indices: dict[int, int] = {}

    def node(self, value: Any, depth: int = MOST_DEPTH) -> Node:
        """A value as JSON can hold it; its tensors are gathered."""
        kind = type(value)
        if kind in _PLAIN:
            return _PLAIN[kind](value)
        if kind in _CONTAINERS and depth:
            return self._container(value, depth - 1)
        if kind not in _TENSORS:
            return self._other(value)
        if not _carried(value):
            return {"opaque": f"Tensor of {value.dtype}, {value.layout}"}
        return self._tensor(value)

    def _container(self, value: Any, depth: int) -> Node:
        if type(value) is dict:
            return {"dict": {str(key): self.node(item, depth) for key, item in value.items()}}
        items = [self.node(item, depth) for item in value]
        return {"tuple": items} if type(value) is tuple else items

    def _tensor(self, tensor: Tensor) -> Node:
        given = self._arguments.position(tensor) if self._arguments else None
        # An argument that an operation in place has made part of a graph comes back as a result.
        if given is not None and tensor.is_leaf:
            return {"argument": given}
        if id(tensor) not in self._indices:
            self._indices[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
        return {"tensor": self._indices[id(tensor)]}

    def pack(self) -> tuple[list[dict[str, Any]], dict[str, Tensor]]:
        """The place of each gathered tensor, and the storages, by name, that they lie in."""
        known = self._arguments.known if self._arguments else {}
        places = Places(self._prefix, known)
        layouts = [places.add(_plain(tensor), tensor.requires_grad) for tensor in self.tensors]
        return layouts, places.storages()


Other = Callable[[str, Any, "Incoming"], Any]
"""Makes a value of a node of no kind known here."""


class Incoming:
    """Values that have come in.

    Args:
        layouts: every tensor's place.
        storages: the memory, by name: what came, and what was here before.
        arguments: the tensors that a node may point back to.
    """

    def __init__(
        self,
        layouts: Iterable[Any],
        storages: Mapping[str, Tensor],
        arguments: list[Tensor] | None = None,
    ) -> None:
        self.storages = storages
        self.tensors = [placed(layout, storages) for layout in layouts]
        self._arguments = arguments or []

    @cached_property
    def known(self) -> Known:
        """The storages by where they lie, for what points into them."""
        return known(self.storages)

    def value(self, node: Node, other: Other, depth: int = 2 * MOST_DEPTH) -> Any:
        """A value from its node.

        Raises:
            BadFrame: the node is none that `Outgoing.node` makes.
        """
        if not depth:
            raise BadFrame("values nested too deeply")
        if isinstance(node, list):
            return [self.value(item, other, depth - 1) for item in node]
        if not isinstance(node, dict):
            return node
        if len(node) != 1:
            raise BadFrame("a value that says not what it is")
        [(kind, content)] = node.items()
        if kind in {"tuple", "dict"}:
            return self._container(kind, content, other, depth - 1)
        try:
            return self._leaf(kind, content, other)
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
            raise BadFrame(f"a value that cannot be made: {error}") from None

    def _container(self, kind: str, content: Any, other: Other, depth: int) -> Any:
        if kind == "tuple" and isinstance(content, list):
            return tuple(self.value(item, other, depth) for item in content)
        if kind == "dict" and isinstance(content, dict):
            return {key: self.value(item, other, depth) for key, item in content.items()}
        raise BadFrame("a container of the wrong form")

    def _leaf(self, kind: str, content: Any, other: Other) -> Any:
        if kind == "tensor":
            return self.tensors[content]
        if kind == "argument":
            return self._arguments[content]
        if kind in _LEAVES:
            return _LEAVES[kind](content)
        return other(kind, content, self)

    def position(self, tensor: Tensor) -> int | None:
        """Which of the incoming tensors this very object is, if it is one."""
        for number, mine in enumerate(self.tensors):
            if mine is tensor:
                return number
        return None


def _carried(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided and not tensor.is_quantized and tensor.dtype in NAMES


def _plain(tensor: Tensor) -> Tensor:
    """A tensor's numbers as they lie in this machine's memory, apart from any graph."""
    if tensor.device.type not in {"cpu", "meta"}:
        tensor = tensor.cpu()
    tensor = tensor.detach()
    return tensor.resolve_conj().resolve_neg() if tensor.is_conj() or tensor.is_neg() else tensor


def _itself(value: Any) -> Any:
    return value


def _integer(value: int) -> Node:
    return value if value.bit_length() < 64 else {"opaque": "int"}


def _float(value: float) -> Node:
    return value if math.isfinite(value) else {"float": str(value)}


_PLAIN: dict[type, Callable[[Any], Node]] = {
    type(None): _itself,
    bool: _itself,
    int: _integer,
    float: _float,
    str: lambda text: text[:MOST_TEXT],
    torch.dtype: lambda dtype: {"dtype": str(dtype).removeprefix("torch.")},
    torch.device: lambda device: {"device": str(device)},
    torch.Size: lambda size: {"size": list(size)},
    Opaque: lambda value: {"opaque": value.type_name[:100]},
}
_CONTAINERS = frozenset({tuple, list, dict})
_TENSORS = frozenset({Tensor, nn.Parameter})


def _dtype(name: Any) -> torch.dtype:
    found = getattr(torch, str(name), None)
    if not isinstance(found, torch.dtype):
        raise BadFrame("a dtype that is none")
    return found


_LEAVES: dict[str, Callable[[Any], Any]] = {
    "float": lambda text: {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[text],
    "dtype": _dtype,
    "device": lambda text: torch.device(str(text)),
    "size": lambda sizes: torch.Size(counts(sizes)),
    "opaque": lambda name: Opaque(str(name)[:100]),
}
