"""Naming a mistake from the learner's own numbers."""

from .answers import Bank, Compound, Mistake, Variant
from .engine import diagnoser
from .observe import Experiment, refuses

__all__ = ["Bank", "Compound", "Experiment", "Mistake", "Variant", "diagnoser", "refuses"]
