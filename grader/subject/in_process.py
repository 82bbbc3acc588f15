"""A submission in this process: a learner's own check, with debugger, prints and tracebacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from torch import Tensor, nn

from .host import Host
from .protocol import Sources


class LocalModule:
    """A `ModuleHandle` on a module in this process."""

    def __init__(self, host: Host, module: nn.Module) -> None:
        self._host = host
        self.module = module

    def __call__(self, *args: Any) -> Any:
        """One forward pass."""
        return self._host.apply(self.module, args, {})

    def parameters(self) -> dict[str, Tensor]:
        """Every parameter by name, as a copy."""
        return {name: value.detach().clone() for name, value in self.module.named_parameters()}

    def load(self, parameters: Mapping[str, Tensor]) -> None:
        """Set parameters by name; they take the dtype, too."""
        own = {name: value.clone() for name, value in parameters.items()}
        self.module.load_state_dict(own, strict=False, assign=True)

    def train(self, mode: bool) -> None:
        """Set train or eval mode."""
        self.module.train(mode)

    def training(self) -> bool:
        """Whether the module is in train mode."""
        return self.module.training


class InProcess:
    """A `Subject` whose calls are plain calls.

    Time limits are pytest-timeout's, and output is pytest's to capture.
    """

    def __init__(self, sources: Sources, forbidden: Sequence[str] = ()) -> None:
        self._host = Host(sources, forbidden)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            given = [arg.module if isinstance(arg, LocalModule) else arg for arg in args]
            result = self._host.call(name, given, kwargs)
            return LocalModule(self._host, result) if isinstance(result, nn.Module) else result

        return call

    def at_once(self, function: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """What many calls of a function give; None for those that raise."""
        return [self._host.attempt(function, args) for args in calls]

    def on(self, bench: str, **settings: Any) -> AbstractContextManager[Mapping[str, Any]]:
        """Make the calls inside the `with` on a bench."""
        return self._host.on(bench, settings)

    def output(self) -> str:
        """Nothing: pytest holds what was printed."""
        return ""

    def look_ahead(self, checks: Sequence[str], seconds: float) -> None:
        """Nothing: a call costs no more than its work."""

    def foresee(self, check: str, seconds: float) -> None:
        """Nothing: a call costs no more than its work."""

    def begin(self, seconds: float) -> None:
        """Nothing: pytest-timeout holds the clock."""

    def close(self) -> None:
        """Forget the submission's modules."""
        self._host.close()
