"""Naming a mistake from the learner's own numbers."""

from .answers import Bank, Compound, Mistake, Variant

__all__ = ["Bank", "Compound", "Mistake", "Variant"]
