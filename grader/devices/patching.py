"""Other functions under well-known names for the length of a call.

A name may be looked up at call time (`time.perf_counter()`) or have been taken long before
(`from time import perf_counter`, or a default value of a parameter). Both are replaced: the first
at its owner, the second by identity in the submission's own module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import FunctionType
from typing import Any, NamedTuple


class Patch(NamedTuple):
    """One name and what stands there for a while."""

    owner: Any
    name: str
    replacement: Any


def patches(owner: Any, table: Mapping[str, Any]) -> list[Patch]:
    """A patch for every function or class of a table that the owner has in this version."""
    return [Patch(owner, name, new) for name, new in table.items() if hasattr(owner, name)]


@contextmanager
def patched(table: Iterable[Patch], own: dict[str, Any]) -> Iterator[None]:
    """Apply patches, in their owners and in one module's globals; undo all of it afterwards."""
    with ExitStack() as stack:
        instead: dict[int, Any] = {}
        for owner, name, replacement in table:
            original = getattr(owner, name)
            instead.setdefault(id(original), replacement)
            stack.callback(setattr, owner, name, original)
            setattr(owner, name, replacement)
        _substitute(own, instead, stack.callback)
        yield


def _substitute(own: dict[str, Any], instead: Mapping[int, Any], undo: Callable[..., Any]) -> None:
    for name, value in list(own.items()):
        if id(value) in instead:
            undo(own.__setitem__, name, value)
            own[name] = instead[id(value)]
        elif isinstance(value, FunctionType):
            _substitute_defaults(value, instead, undo)


def _substitute_defaults(
    function: FunctionType, instead: Mapping[int, Any], undo: Callable[..., Any]
) -> None:
    old = function.__defaults__ or ()
    if any(id(value) in instead for value in old):
        undo(setattr, function, "__defaults__", old)
        function.__defaults__ = tuple(instead.get(id(value), value) for value in old)
    if function.__kwdefaults__:
        undo(setattr, function, "__kwdefaults__", dict(function.__kwdefaults__))
        function.__kwdefaults__ = {
            name: instead.get(id(value), value) for name, value in function.__kwdefaults__.items()
        }
