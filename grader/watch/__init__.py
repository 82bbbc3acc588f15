"""`watch`: on every save, the stage that was saved is judged at once by a process that is warm."""

from .loop import watch

__all__ = ["watch"]
