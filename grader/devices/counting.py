"""The `cost` bench, and the counter that the others share: what a call asks of PyTorch.

Counts need no clock, so they are the same on every machine: a loop over tokens shows as a number
of operations that grows with the tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import TracebackType
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from . import lines
from .moving import tensors

SHOWN = 20
"""How many of a kind of event a report lists; all are counted."""

TO_PYTHON = frozenset({"_local_scalar_dense", "item", "is_nonzero", "equal"})
"""Operations that hand a number of a tensor to Python."""

WRAPPING = frozenset({"lift_fresh", "lift"})
"""What `torch.tensor` and its like send to the dispatcher when their tensor is there."""


@cache
def base_name(func: Any) -> str:
    """An operation's name without namespace and overload: `aten::add.Tensor` is `add`."""
    name: str = func._schema.name
    return name.partition("::")[2]


@cache
def is_view(func: Any) -> bool:
    """Whether an operation only looks at its argument's memory in another way."""
    return any(
        returned.alias_info is not None and not returned.alias_info.is_write
        for returned in func._schema.returns
    )


@cache
def writes(func: Any) -> bool:
    """Whether an operation puts its result into an argument."""
    return any(
        argument.alias_info is not None and argument.alias_info.is_write
        for argument in func._schema.arguments
    )


class Counts(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the operations of the thread that it is active in.

    Args:
        own: the globals of the code whose lines are named.
    """

    def __init__(self, own: dict[str, Any] | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.own = own if own is not None else {}
        self.operations: Counter[str] = Counter()
        self.bytes = 0
        self.created: list[dict[str, Any]] = []
        self.transfers: list[dict[str, Any]] = []
        self.to_python: list[dict[str, Any]] = []
        self._paused = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing for a while."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Keep torch from importing its compiler, which costs a second, at the first call."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and write down what it was."""
        kwargs = kwargs or {}
        if self._paused:
            return func(*args, **kwargs)
        if base_name(func) in TO_PYTHON:
            self.to_python.append(self._event(func))
        result = func(*args, **kwargs)
        self._note(func, tensors([args, kwargs]), tensors(result))
        return result

    def _note(self, func: Any, given: list[Tensor], made: list[Tensor]) -> None:
        name = base_name(func)
        if not given or name in WRAPPING:
            self.created += [self._tensor(func, tensor) for tensor in made]
        if is_view(func):
            return
        self.operations[name] += 1
        if not writes(func):
            self.bytes += sum(tensor.numel() * tensor.element_size() for tensor in made)
        kinds = {tensor.device.type for tensor in (*given, *made)}
        if name in {"_to_copy", "copy_"} and len(kinds) > 1:
            self.transfers.append(self._event(func))

    def _tensor(self, func: Any, tensor: Tensor) -> dict[str, Any]:
        return self._event(func) | {"device": tensor.device.type, "shape": list(tensor.shape)}

    def _event(self, func: Any) -> dict[str, Any]:
        return {"what": base_name(func), "line": lines.running(self.own)}

    def report(self) -> dict[str, Any]:
        """The counts, and the first few events of each kind.

        Keys: `operations` (views not counted), `by_name`, `bytes` (of new results),
        `created`, `transfers` and `to_python` as numbers, `events` with their lines.
        """
        events = {
            "created": self.created,
            "transfers": self.transfers,
            "to_python": self.to_python,
        }
        return {
            "operations": self.operations.total(),
            "by_name": dict(self.operations),
            "bytes": self.bytes,
            **{kind: len(found) for kind, found in events.items()},
            "events": {kind: found[:SHOWN] for kind, found in events.items()},
        }


class CostBench:
    """Leaves everything where it is, and counts."""

    def __init__(self) -> None:
        self._counts = Counts()

    def __enter__(self) -> CostBench:
        """Nothing to set up."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to take down."""

    def call(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Call, and count what it asks of PyTorch."""
        self._counts.own = lines.namespace(function)
        with self._counts:
            return function(*args, **kwargs)

    def report(self) -> dict[str, Any]:
        """The counts of all calls together."""
        return self._counts.report()
