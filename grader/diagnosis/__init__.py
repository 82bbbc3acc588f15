"""Naming a mistake from the learner's own numbers.

Banks and probes import this package, so it brings the engine only when that is first named.
"""

from typing import TYPE_CHECKING, Any

from .answers import Bank, Compound, Mistake, Variant

if TYPE_CHECKING:
    from .engine import diagnoser
    from .observe import Experiment, refuses

__all__ = ["Bank", "Compound", "Experiment", "Mistake", "Variant", "diagnoser", "refuses"]

_LATER = {"diagnoser": "engine", "Experiment": "observe", "refuses": "observe"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LATER:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
