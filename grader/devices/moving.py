"""Bringing arguments, results and modules to another device, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import Tensor, nn

Change = Callable[[Tensor], Tensor]
"""What becomes of a tensor on the way."""


def mapped(value: Any, change: Change) -> Any:
    """The same value with every tensor in it changed; tuples, lists and dicts are looked into."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(item, change) for item in value))
    if type(value) in {tuple, list}:
        return type(value)(mapped(item, change) for item in value)
    if type(value) is dict:
        return {key: mapped(item, change) for key, item in value.items()}
    return value


def tensors(value: Any) -> list[Tensor]:
    """Every tensor in a value, in order."""
    found: list[Tensor] = []
    _gather(value, found)
    return found


def _gather(value: Any, found: list[Tensor]) -> None:
    # No generator: benches look through the arguments of every operation.
    if isinstance(value, Tensor):
        found.append(value)
    elif type(value) is dict:
        for item in value.values():
            _gather(item, found)
    elif isinstance(value, tuple) or type(value) is list:
        for item in value:
            _gather(item, found)


def modules(function: Any, args: Iterable[Any], kwargs: Mapping[str, Any]) -> list[nn.Module]:
    """The modules that a call is about: its target and its arguments, each once."""
    values = [function, *args, *kwargs.values()]
    return list({id(v): v for v in values if isinstance(v, nn.Module)}.values())


@contextmanager
def placed(roots: Iterable[nn.Module], change: Change) -> Iterator[None]:
    """Change the parameters and buffers of modules, and put the old ones back afterwards.

    They are swapped inside the very modules, not in copies, so that whatever else the block does
    to a module (its mode, its attributes) is still seen after it. Plain tensor attributes stay
    where they are, as `nn.Module.to` leaves them, too. No gradient is recorded on the way.
    """
    with ExitStack() as stack:
        for root in roots:
            for module in root.modules():
                # nn.Module offers no public way to hold another tensor under a parameter's name.
                for store in (module._parameters, module._buffers):
                    stack.callback(_put_back, store, dict(store))
                    _swap(store, change)
        yield


def _swap(store: dict[str, Any], change: Change) -> None:
    for name, tensor in store.items():
        if isinstance(tensor, Tensor):
            store[name] = change(tensor.detach())


def _put_back(store: dict[str, Any], old: dict[str, Any]) -> None:
    store.clear()
    store.update(old)
