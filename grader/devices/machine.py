"""The `machine` bench: a machine that says it has a certain accelerator, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

from . import lines
from .patching import Patch, patched
from .pretend import machine


class MachineBench:
    """Calls see a machine of one kind; nothing can be run on its accelerator.

    Args:
        kind: "cuda", "mps", "xpu", "mtia" or "none".
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._asked: list[str] = []
        self._patches = [self._noting(patch) for patch in machine(kind)]

    def _noting(self, patch: Patch) -> Patch:
        asked = f"{patch.owner.__name__}.{patch.name}"

        def answer(*args: Any, **kwargs: Any) -> Any:
            if asked not in self._asked:
                self._asked.append(asked)
            return patch.replacement(*args, **kwargs)

        return patch._replace(replacement=answer)

    def __enter__(self) -> MachineBench:
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
        """Call as if on such a machine."""
        with patched(self._patches, lines.namespace(function)):
            return function(*args, **kwargs)

    def report(self) -> dict[str, Any]:
        """`kind`, and `asked`: which questions about accelerators were asked, in order."""
        return {"kind": self._kind, "asked": self._asked}
