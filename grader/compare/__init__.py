"""`compare`: a learner's stage beside the reference, in numbers, cost, time and code."""

from .comparison import Comparison, compare
from .page import page
from .terminal import show

__all__ = ["Comparison", "compare", "page", "show"]
