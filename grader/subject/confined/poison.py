"""Built-in operations taken out of a whole process: every alias, every thread, every path.

In one process with the grader, calls are only watched; here the operations themselves are
replaced at PyTorch's dispatcher, under every backend that a submission could reach.
"""

from __future__ import annotations

import ctypes
import gc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
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


def refuse(groups: Sequence[str]) -> None:
    """Replace the operations of these groups by a refusal, until the process ends."""
    if not groups:
        return
    replaced = operations(groups)
    libraries: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of every kernel that is replaced
        for name, keys in kernels().items():
            namespace, _, operation = name.partition("::")
            base = operation.partition(".")[0]
            if base in replaced:
                library = libraries.setdefault(namespace, _library(namespace))
                refusal = _refusal(replaced[base], shown(base))
                for key in keys:
                    library.impl(name, key, refusal, False)
    _hide(libraries.values())


@cache
def kernels() -> Mapping[str, tuple[str, ...]]:
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
        raise ForbiddenOperation(group, operation)

    return refuse_call


def _hide(libraries: Any) -> None:
    """Keep the libraries alive where nothing in Python can find, and so drop, them."""
    for library in libraries:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
    gc.freeze()
