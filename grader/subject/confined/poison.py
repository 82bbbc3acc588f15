"""Built-in operations taken out of a whole process: every alias, every thread, every path.

In one process with the grader, calls are only watched; here the operations themselves are
replaced at PyTorch's dispatcher, under every backend that a submission could reach. All groups are,
before any submission is near; what a stage allows is given back. So nothing is left to be refused
in a process where a submission may have seen to it that it is not.
"""

from __future__ import annotations

import ctypes
import gc
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NoReturn

import torch

from ..errors import ForbiddenOperation
from ..forbidden import GROUPS, operations, shown

KEYS = (
    "CPU",
    "CUDA",
    "XPU",
    "MPS",
    "Meta",
    "PrivateUse1",
    "MkldnnCPU",
    "SparseCPU",
    "SparseCsrCPU",
    "QuantizedCPU",
    "NestedTensorCPU",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
    "CompositeImplicitAutogradNestedTensor",
    "FuncTorchBatchedDecomposition",
    "AutocastCPU",
)
"""Where PyTorch keeps an operation's code; what is missing here only passes a call on."""


reached: set[str] = set()
"""Groups of which an operation was called, and refused, whatever became of the exception."""


def refuse_all() -> dict[str, list[int]]:
    """Replace the operations of every group by a refusal, until the process ends.

    Returns:
        By group, what `allow` takes. It must be gone from this process before a submission comes.
    """
    known = _kernels()
    with warnings.catch_warnings(action="ignore"):  # PyTorch warns of every kernel it replaces
        handles = {group: _refuse(group, known) for group in GROUPS}
    gc.freeze()
    return handles


def allow(handles: Iterable[int]) -> None:
    """Take refusals back: operations are again what they were, or what else refuses them."""
    for handle in handles:
        ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(handle))


def _refuse(group: str, known: Mapping[str, Iterable[str]]) -> list[int]:
    libraries: dict[str, Any] = {}
    for name, keys in known.items():
        namespace, _, operation = name.partition("::")
        base = operation.partition(".")[0]
        if base in GROUPS[group]:
            library = libraries.setdefault(namespace, _library(namespace))
            for key in keys:
                library.impl(name, key, _refusal(group, shown(base)), False)
    return [_hidden(library) for library in libraries.values()]


def _kernels() -> Mapping[str, tuple[str, ...]]:
    """Every operation that some group names, with the keys under which it has code of its own."""
    names = operations(GROUPS)
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        if name.partition("::")[2].partition(".")[0] in names:
            found[name] = tuple(_keys(name))
    return found


def _keys(name: str) -> Iterator[str]:
    for key in KEYS:
        try:
            if torch._C._dispatch_has_kernel_for_dispatch_key(name, key):
                yield key
        except RuntimeError:  # this PyTorch knows no such key
            continue


def _library(namespace: str) -> Any:
    # Not torch.library.Library: that one leaves a finalizer behind which would undo it all.
    return torch._C._dispatch_library("IMPL", namespace, "", __file__, 0)


def _refusal(group: str, operation: str) -> Callable[..., NoReturn]:
    def refuse_call(*args: Any, **kwargs: Any) -> NoReturn:
        del args, kwargs
        reached.add(group)
        raise ForbiddenOperation(group, operation)

    return refuse_call


def _hidden(library: Any) -> int:
    """Keep a library alive where nothing in Python can find, and so drop, it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
    return id(library)
