"""Naming a mistake from the learner's own numbers."""

from .answers import Bank, Compound, Mistake, Variant
from .designs import Experiment, refuses
from .engine import diagnoser

__all__ = ["Bank", "Compound", "Experiment", "Mistake", "Variant", "diagnoser", "refuses"]
