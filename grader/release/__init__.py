"""`release`: what an instructor hands out, and what the places where courses live want."""

from .command import release

__all__ = ["release"]
