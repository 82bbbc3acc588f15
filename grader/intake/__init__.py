"""From the paths that an instructor names to submissions as text. Nothing of them is run."""

from .discover import Candidate, find

__all__ = ["Candidate", "find"]
