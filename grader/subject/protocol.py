"""What a suite sees of a submission, wherever the submission runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # who only hands submissions on need not load PyTorch
    from torch import Tensor


@dataclass(frozen=True)
class Sources:
    """The modules of one judged stage, as text; the stage's own module comes last.

    Modules before it are siblings that it may import (`from .softmax import row_softmax`).
    """

    judged: str
    """Name of the module whose functions the suite calls."""
    texts: Mapping[str, str]
    """Each module's source text, by module name."""
    files: Mapping[str, str] = field(default_factory=dict)
    """How to name each module's file in messages; `<module>.py` where absent."""

    def file(self, module: str) -> str:
        """The name of a module's file, for tracebacks and messages."""
        return self.files.get(module, f"{module}.py")


class ModuleHandle(Protocol):
    """An `nn.Module` of the submission. It stays where the submission runs."""

    def __call__(self, *args: Any) -> Any:
        """One forward pass, on the bench if one is set; autograd works through it."""
        ...

    def parameters(self) -> dict[str, Tensor]:
        """Every parameter by name, as a copy."""
        ...

    def load(self, parameters: Mapping[str, Tensor]) -> None:
        """Set parameters by name, as `load_state_dict(strict=False)` does; the dtype, too."""
        ...

    def train(self, mode: bool) -> None:
        """Set train or eval mode."""
        ...

    def training(self) -> bool:
        """Whether the module is in train mode."""
        ...


class Subject(Protocol):
    """The judged module: `subject.row_softmax(scores)` calls the submission's function.

    Tensors and plain Python values go in and come out. An `nn.Module` comes out as a
    `ModuleHandle` and may go in again; an `nn.Linear` of the suite's own may go in, too. What the
    submission returns of any other type arrives as an `Opaque` that only knows the type's name.
    Arguments that the call changed are changed afterwards, results that share memory with an
    argument do so here too, and autograd works through the call, wherever the submission runs.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A function or class of the judged module."""
        ...

    def at_once(self, function: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """What many calls of a function give, asked in one go; None for those that raise.

        Args:
            function: its name.
            calls: the arguments of each call; no two may share a tensor.
        """
        ...

    def on(self, bench: str, **settings: Any) -> AbstractContextManager[Mapping[str, Any]]:
        """Make the calls inside the `with` on a bench, a device or a set of eyes.

        The mapping is empty until the block ends; then it holds what the bench saw.
        """
        ...

    def output(self) -> str:
        """The end of what the submission printed since it was loaded."""
        ...

    def look_ahead(self, checks: Sequence[str], seconds: float) -> None:
        """Fetch at once what `foresee` will be asked for, where that saves time.

        Args:
            checks: the names of those that will be foreseen, in their order.
            seconds: how long that may take; it says nothing of any check if it takes longer.
        """
        ...

    def foresee(self, check: str, seconds: float) -> str | None:
        """Fetch at once all that the check which begins next is known to ask.

        Args:
            check: its name.
            seconds: how long all its calls together may take.

        Returns:
            A digest of all that its verdict can depend on; None where that cannot be told.
        """
        ...

    def begin(self, seconds: float) -> None:
        """Start a check: from now on all its calls together may take this long.

        A call raises `Unforeseen` if it is not what was foreseen. Begun once more, the check asks
        live.
        """
        ...

    def close(self) -> None:
        """End the submission; nothing of it is left running."""
        ...
