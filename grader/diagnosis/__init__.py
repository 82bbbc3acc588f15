"""Naming a mistake from the learner's own numbers."""

from .answers import Bank, Compound, Mistake, Variant
from .calls import attempted
from .designs import Experiment, Step, refuses, shares_nothing
from .engine import Diagnoser, diagnoser

__all__ = [
    "Bank",
    "Compound",
    "Diagnoser",
    "Experiment",
    "Mistake",
    "Step",
    "Variant",
    "attempted",
    "diagnoser",
    "refuses",
    "shares_nothing",
]
