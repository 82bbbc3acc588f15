"""Where tensors lie: storages cross, each once, and for every tensor its place in one.

So strides, arguments that overlap, results that are views of an argument, and changed arguments
all look the same on both sides, and nothing has to be guessed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .frames import MOST_BODY, BadFrame

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64,
        torch.float32,
        torch.float16,
        torch.bfloat16,
        torch.int64,
        torch.int32,
        torch.int16,
        torch.int8,
        torch.uint8,
        torch.bool,
    )
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
MOST_DIMENSIONS = 8


Memory = tuple[int, torch.dtype]
Known = Mapping[Memory, tuple[str, Tensor]]
"""Storages that the other side has, each with its name, by where they lie."""


def known(storages: Mapping[str, Tensor]) -> Known:
    """Storages by where they lie."""
    return {_memory(flat): (name, flat) for name, flat in storages.items()}


class Places:
    """Finds for every tensor the stretch of memory that it shares with others."""

    def __init__(self, prefix: str, known: Known) -> None:
        self._prefix = prefix
        self._known = known
        self._new: dict[Any, list[tuple[Tensor, dict[str, Any]]]] = {}

    def add(self, tensor: Tensor, grad: bool) -> dict[str, Any]:
        """Where a tensor lies; complete only when `storages` has been called."""
        layout: dict[str, Any] = {
            "size": list(tensor.shape),
            "stride": list(tensor.stride()),
            "dtype": NAMES[tensor.dtype],
            "grad": grad,
        }
        if tensor.is_meta or tensor.numel() == 0:
            return layout | {"device": tensor.device.type}
        memory = _memory(tensor)
        name, flat = self._known.get(memory, ("", tensor))
        if name and _memory(flat) == memory:  # it may have been moved since it was noted
            offset = tensor.storage_offset() - flat.storage_offset()
            if offset >= 0 and _end(tensor) <= flat.storage_offset() + len(flat):
                return layout | {"storage": name, "offset": offset}
        self._new.setdefault(memory, []).append((tensor, layout))
        return layout

    def storages(self) -> dict[str, Tensor]:
        """The stretches, by name; the layouts are told which one is theirs."""
        found = {}
        for number, pairs in enumerate(self._new.values()):
            name = f"{self._prefix}{number}"
            found[name] = flat = stretch([tensor for tensor, _ in pairs])
            for tensor, layout in pairs:
                layout["storage"] = name
                layout["offset"] = tensor.storage_offset() - flat.storage_offset()
        return found


def placed(layout: Any, storages: Mapping[str, Tensor]) -> Tensor:
    """A tensor at its place in a storage.

    Raises:
        BadFrame: the place is none, or not inside the storage.
    """
    try:
        size, stride = counts(layout["size"]), counts(layout["stride"])
        dtype = DTYPES[layout["dtype"]]
        if len(size) > MOST_DIMENSIONS:
            raise BadFrame(f"a tensor of {len(size)} dimensions")
        if "device" in layout:
            return _without_data(size, stride, dtype, layout["device"])
        if math.prod(size) * dtype.itemsize > MOST_BODY:
            raise BadFrame(f"a tensor of size {size} is too large")
        flat = storages[layout["storage"]]
        [offset] = counts([layout["offset"]])
        return _within(flat, size, stride, int(flat.storage_offset()) + offset)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise BadFrame(f"a tensor that cannot be made: {error}") from None


def _without_data(size: list[int], stride: list[int], dtype: torch.dtype, device: str) -> Tensor:
    if device == "cpu" and 0 not in size:
        raise BadFrame("a tensor without its numbers")
    on = "meta" if device == "meta" else "cpu"
    return torch.empty_strided(size, stride, dtype=dtype, device=on)


def _within(flat: Tensor, size: list[int], stride: list[int], offset: int) -> Tensor:
    flat.as_strided(size, stride, offset)  # looks at the bounds, which set_ would stretch
    fresh = torch.empty(0, dtype=flat.dtype)
    return fresh.set_(flat.untyped_storage(), offset, size, stride)


def refuse_strange(storages: Mapping[str, Tensor]) -> None:
    """Refuse storages that `Outgoing.pack` would not have sent.

    Raises:
        BadFrame: one is not flat, or of another dtype, or holds bytes that are no booleans.
    """
    for flat in storages.values():
        if flat.ndim != 1 or flat.dtype not in NAMES:
            raise BadFrame("a storage that is not flat, or of a dtype that is not carried")
        if flat.dtype is torch.bool and flat.view(torch.uint8).gt(1).any():
            raise BadFrame("booleans that are neither true nor false")


def stretch(tensors: Sequence[Tensor]) -> Tensor:
    """The memory from the first to the last element of tensors that share a storage, flat."""
    if len(tensors) == 1 and tensors[0].is_contiguous():
        return tensors[0].detach().view(-1)
    start = min(tensor.storage_offset() for tensor in tensors)
    end = max(_end(tensor) for tensor in tensors)
    return tensors[0].detach().as_strided((end - start,), (1,), start)


def in_bytes(storages: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Storages as bytes, so that NaN is like itself when they are compared."""
    return {name: flat.view(torch.uint8) for name, flat in storages.items()}


def changed(now: Mapping[str, Tensor], before: Mapping[str, Tensor]) -> list[str]:
    """Names of the storages, given as `in_bytes`, that hold other bytes than before."""
    return [name for name, own in now.items() if not torch.equal(own, before[name])]


Lying = tuple[Any, ...]
"""How a tensor lies in its storage."""


def lying(tensor: Tensor) -> Lying:
    """A tensor's size, stride and offset."""
    return tensor.shape, tensor.stride(), tensor.storage_offset()


def moved(
    before: Sequence[Lying], tensors: Sequence[Tensor], storages: Mapping[str, Tensor]
) -> dict[str, Any]:
    """New places of tensors that lie otherwise in their storage than before, by position.

    That is what `x.t_()` and its like do to an argument.
    """
    where = [n for n, tensor in enumerate(tensors) if lying(tensor) != before[n]]
    if not where:
        return {}
    places = Places("", known(storages))
    now = {str(n): places.add(tensors[n].detach(), tensors[n].requires_grad) for n in where}
    return {n: layout for n, layout in now.items() if "storage" in layout}


def _end(tensor: Tensor) -> int:
    reach = (
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    return int(tensor.storage_offset()) + sum(reach) + 1


def _memory(tensor: Tensor) -> Memory:
    return tensor.untyped_storage().data_ptr(), tensor.dtype


def counts(values: Any) -> list[int]:
    """A list of sizes, strides or offsets, refused if one is no count."""
    found = list(values)
    if any(type(number) is not int or number < 0 for number in found):
        raise BadFrame("a size, stride or offset that is not a count")
    return found
