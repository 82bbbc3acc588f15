"""The benches on which a suite may put a submission: a name, settings, and a class each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType, TracebackType
from typing import Any, Protocol


class Bench(Protocol):
    """A place for calls. It may be entered once; after its block nothing of it is left behind."""

    def __enter__(self) -> object:
        """Set the bench up."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take it down, whatever happened on it."""
        ...

    def call(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Bring the tensors and modules here, call, and bring the results back.

        Results are on the CPU, but for those of the meta device, which have no data to bring.
        What the submission raises comes through.
        """
        ...

    def report(self) -> dict[str, Any]:
        """What was seen, as JSON can hold it; for a bench that cannot run here, why not."""
        ...


CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "cost": "counting:CostBench",
        "gradients": "gradients:GradientBench",
        "meta": "meta:MetaBench",
        "fake cuda": "fake_cuda:FakeCudaBench",
        "stand-in": "stand_in:StandInBench",
        "machine": "machine:MachineBench",
        "device": "on_device:DeviceBench",
        "chain": "chain:ChainBench",
    }
)
"""Bench to module and class, imported when it is first asked for: some are slow to import."""


def make(name: str, settings: Mapping[str, Any]) -> Bench:
    """A fresh bench.

    Raises:
        ValueError: there is no bench of that name.
        TypeError: the bench has no such setting.
    """
    return kind(name)(**settings)


def kind(name: str) -> Callable[..., Bench]:
    """The class of a bench, imported.

    Raises:
        ValueError: there is no bench of that name.
    """
    if name not in CLASSES:
        raise ValueError(f"no bench is called {name!r}; there are: {', '.join(CLASSES)}")
    module, _, own = CLASSES[name].partition(":")
    found: Callable[..., Bench] = getattr(import_module(f".{module}", __package__), own)
    return found
