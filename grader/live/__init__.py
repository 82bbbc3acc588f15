"""The site with the learner's own numbers in its figures, served to this machine alone."""

from .command import live

__all__ = ["live"]
