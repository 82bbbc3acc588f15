"""Which of a submission's lines is running."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from torch import nn


def namespace(function: Callable[..., Any]) -> dict[str, Any]:
    """The globals of the module in which a function, class or module's class is written."""
    if isinstance(function, nn.Module):
        function = type(function).forward
    elif isinstance(function, type):
        function = vars(function).get("__init__", function)
    found: dict[str, Any] = getattr(function, "__globals__", {})
    return found


def running(own: dict[str, Any]) -> int | None:
    """The innermost line now running in code with these globals, or None."""
    frame = sys._getframe(1)
    while frame.f_globals is not own:
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_lineno
