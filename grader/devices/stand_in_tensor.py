"""Tensors of the stand-in accelerator: real numbers, kept on the CPU, that behave as if on a GPU.

A stand-in tensor is a wrapper subclass around a CPU tensor. Two of PyTorch's public extension
points make it convincing: `__torch_dispatch__` sees every operation on it (a launch, a copy, a
refused mixture of devices), and a `TorchFunctionMode` answers what Python code asks (`x.device`,
`x.is_cuda`, `x.cpu()`, `torch.zeros(…, device=x.device)`). Nothing is registered with PyTorch, so
nothing outlives the block, and `x.device` can be the "cuda" that people's code looks for, which a
registered backend of one's own may not be called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import return_and_correct_aliasing

from . import lines
from .counting import TO_PYTHON, Counts, base_name, is_view
from .moving import mapped, tensors
from .virtual import VirtualDevice

MIXED = (
    "Expected all tensors to be on the same device, but found at least two devices, "
    "{} and cpu! (when checking arguments of {})"
)
TAKES_HOST_INDEX = frozenset({"index", "index_put", "index_put_", "_index_put_impl_"})
WAITS_FOR_SIZE = frozenset({"nonzero", "masked_select", "_unique2", "unique_dim"})
"""Operations whose result's size the host must know: it waits for the device."""

FROM_HOST = frozenset({torch.tensor, torch.as_tensor, torch.asarray, Tensor.new_tensor})
"""Makers of tensors whose numbers come from Python."""


class StandInTensor(Tensor):
    """A tensor on the stand-in accelerator.

    Attributes:
        held: its numbers, on the CPU.
        place: the accelerator.
    """

    held: Tensor
    place: Place
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore

    def __new__(cls, inner: Tensor, place: Place) -> StandInTensor:  # noqa: ARG004, D102
        made: StandInTensor = Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=torch.device("cpu"),
        )
        return made

    def __init__(self, inner: Tensor, place: Place) -> None:
        super().__init__()
        self.held = inner
        self.place = place

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"{self.place.fetch(self, 'repr')!r} on {self.place.where}"

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self.clone()

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run an operation on the accelerator."""
        ours = next(t for t in tensors([args, kwargs or {}]) if isinstance(t, StandInTensor))
        return ours.place.run(func, args, kwargs or {})


def _inner(tensor: Tensor) -> Tensor:
    return tensor.held if isinstance(tensor, StandInTensor) else tensor


class Place:
    """The stand-in accelerator as a place for tensors.

    Args:
        device: its clock, queue and log.
        where: what its tensors say where they are.
        own: the globals of the submission's code, to name its lines.
    """

    def __init__(self, device: VirtualDevice, where: torch.device, own: dict[str, Any]) -> None:
        self.device = device
        self.where = where
        self.own = own

    def line(self) -> int | None:
        """The submission's line that is running."""
        return lines.running(self.own)

    def put(self, tensor: Tensor) -> StandInTensor:
        """A CPU tensor as one of this place, sharing its memory, with nothing logged."""
        return StandInTensor(tensor.detach(), self)

    def send(self, tensor: Tensor, what: str) -> StandInTensor:
        """Copy a CPU tensor here; a number without dimensions goes with the launch."""
        if tensor.dim():
            self.device.copy("to device", what, self.line())
        else:
            self.device.launch(what, self.line())
        return self.put(tensor.detach().clone())

    def fetch(self, tensor: StandInTensor, what: str) -> Tensor:
        """Copy a tensor of this place to the CPU."""
        self.device.copy("to host", what, self.line())
        return tensor.held.detach().clone()

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Queue an operation and give its result at once, as an accelerator does."""
        name = base_name(func)
        if name == "copy_" and isinstance(args[1], Tensor):
            return self._copy(args[0], args[1])
        given = tensors([args, kwargs])
        self._check_one_place(name, given)
        result = func(*mapped(args, _inner), **mapped(kwargs, _inner))
        self._log(func, name, given)
        wrapped = mapped(result, self.put)
        return return_and_correct_aliasing(  # type: ignore[no-untyped-call]
            func, args, kwargs, wrapped
        )

    def _copy(self, to: Tensor, source: Tensor) -> Tensor:
        if not isinstance(to, StandInTensor):
            self.device.copy("to host", "copy_", self.line())
        elif not isinstance(source, StandInTensor) and source.dim():
            self.device.copy("to device", "copy_", self.line())
        else:
            self.device.launch("copy_", self.line())
        _inner(to).copy_(_inner(source))
        return to

    def _check_one_place(self, name: str, given: list[Tensor]) -> None:
        strangers = [t for t in given if not isinstance(t, StandInTensor) and t.dim()]
        if not strangers:
            return
        if name not in TAKES_HOST_INDEX:
            raise RuntimeError(MIXED.format(self.where, name))
        self.device.copy("to device", name, self.line())

    def _log(self, func: Any, name: str, given: list[Tensor]) -> None:
        by_mask = name == "index" and any(tensor.dtype is torch.bool for tensor in given[1:])
        if by_mask or name in TO_PYTHON or name in WAITS_FOR_SIZE:
            self.device.copy("to python", name, self.line())
        elif not is_view(func):
            self.device.launch(name, self.line())


def _is_cpu(device: Any) -> bool:
    return isinstance(device, str | torch.device) and str(device).startswith("cpu")


class Queueing(Counts):  # type: ignore[no-untyped-call]
    """Brings operations on the accelerator's tensors to it, and counts those on the host's.

    The tensors' own `__torch_dispatch__` would do the first, and does so in other threads; but
    on that way torch imports its distributed tensors, which costs half a second.

    Args:
        place: the accelerator.
    """

    def __init__(self, place: Place) -> None:
        super().__init__(place.own)
        self._place = place
        self._inside = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """While one of PyTorch's functions works on the accelerator's tensors.

        What it makes for itself on the way, a mask for example, it makes on their device.
        """
        before, self._inside = self._inside, True
        try:
            yield
        finally:
            self._inside = before

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation where its tensors are."""
        kwargs = kwargs or {}
        given = tensors([args, kwargs])
        if any(isinstance(tensor, StandInTensor) for tensor in given):
            return self._place.run(func, args, kwargs)
        if self._inside and not given:
            return mapped(func(*args, **kwargs), self._place.put)
        return super().__torch_dispatch__(func, types, args, kwargs)


class Pretence(TorchFunctionMode):
    """Answers Python code as a machine with this one accelerator would.

    Args:
        place: the accelerator.
        counts: the counter that watches for tensors made on the host.
    """

    def __init__(self, place: Place, counts: Queueing) -> None:
        super().__init__()
        self._place = place
        self._counts = counts

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Answer for the accelerator, or let PyTorch answer."""
        kwargs = kwargs or {}
        first = args[0] if args else None
        if isinstance(first, StandInTensor) and func in ANSWERS:
            return ANSWERS[func](self._place, first)
        if func is Tensor.to:
            return self._to(*args, **kwargs)
        if func is Tensor.cuda and self._place.where.type == "cuda":
            return self._to(first, self._place.where)
        if func is Tensor.new_tensor and isinstance(first, StandInTensor):
            kwargs = {"device": self._place.where} | kwargs
        return self._made(func, args, kwargs)

    def _is_ours(self, device: Any) -> bool:
        """Whether a device argument means the accelerator: by name, as a device, by index."""
        if type(device) is int:
            return True
        named = isinstance(device, str | torch.device)
        return named and torch.device(device).type == self._place.where.type

    def _to(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        device = self._target(args, kwargs)
        stay = [_at_home(value) for value in args]
        kept = {name: _at_home(value) for name, value in kwargs.items()}
        if isinstance(tensor, StandInTensor):
            if not (device is None or _is_cpu(device) or self._is_ours(device)):
                raise RuntimeError(f"this machine has no device {device}")
            fetched = self._place.fetch(tensor, "to") if _is_cpu(device) else tensor
            return fetched.to(*stay, **kept)
        changed = tensor.to(*stay, **kept)
        return self._place.send(changed, "to") if self._is_ours(device) else changed

    def _target(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The device in the arguments of `Tensor.to`, or None if only the dtype is to change."""
        first = args[0] if args else kwargs.get("device", kwargs.get("other"))
        if isinstance(first, Tensor):
            return self._place.where if isinstance(first, StandInTensor) else first.device
        return None if isinstance(first, torch.dtype) else first

    def _made(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Any other function; its `device` decides where the result is."""
        device = kwargs.get("device")
        if _is_cpu(device):
            return func(*mapped(args, _inner), **kwargs)
        if not self._is_ours(device):
            return self._worked(func, args, kwargs)
        with self._counts.paused():
            result = func(*args, **(kwargs | {"device": "cpu"}))
        if isinstance(result, StandInTensor):
            return result
        return self._arrived(func, result)

    def _worked(self, func: Any, args: Any, kwargs: Any) -> Any:
        if any(isinstance(tensor, StandInTensor) for tensor in tensors([args, kwargs])):
            with self._counts.inside():
                return func(*args, **kwargs)
        return func(*args, **kwargs)

    def _arrived(self, func: Any, made: Tensor) -> Tensor:
        name = getattr(func, "__name__", "a tensor")
        if func in FROM_HOST and made.dim():
            self._place.device.copy("from python", name, self._place.line())
        else:
            self._place.device.launch(name, self._place.line())
        return self._place.put(made)


def _at_home(value: Any) -> Any:
    """An argument of `Tensor.to` with the CPU in the place of any device."""
    if isinstance(value, Tensor):
        return _inner(value)
    return "cpu" if isinstance(value, str | torch.device) or type(value) is int else value


def _no_numpy(place: Place, _: StandInTensor) -> None:
    raise TypeError(
        f"can't convert {place.where} device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )


def _getter(name: str) -> Any:
    """What a function mode is given when Python code reads a tensor's attribute."""
    return inspect.getattr_static(Tensor, name).__get__


ANSWERS: Mapping[Any, Callable[[Place, StandInTensor], Any]] = MappingProxyType(
    {
        _getter("device"): lambda place, _: place.where,
        _getter("is_cuda"): lambda place, _: place.where.type == "cuda",
        _getter("is_xpu"): lambda place, _: place.where.type == "xpu",
        _getter("is_mps"): lambda place, _: place.where.type == "mps",
        _getter("is_cpu"): lambda *_: False,
        Tensor.get_device: lambda *_: 0,
        Tensor.cpu: lambda place, tensor: place.fetch(tensor, "cpu"),
        Tensor.tolist: lambda place, tensor: place.fetch(tensor, "tolist").tolist(),
        Tensor.numpy: _no_numpy,
        Tensor.__array__: _no_numpy,
    }
)
"""What is asked of a tensor of the accelerator, and the answer."""
