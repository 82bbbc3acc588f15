"""From the paths that an instructor names to submissions as text. Nothing of them is run."""

from .discover import Candidate, find
from .modules import Wanted

__all__ = ["Candidate", "Wanted", "find"]
