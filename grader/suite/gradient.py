"""The oracle's gradients, without any autograd: central differences along a fixed direction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from .probe import Array, Probe

STEP = 1e-6
"""The truncation error is of order STEP², the rounding error of order u / STEP: below 1e-8."""


def of_oracle(probe: Probe) -> dict[str, Array]:
    """Gradient of the oracle's weighted sum of results, for each array argument by name."""
    if "gradients" not in probe._cache:
        values = probe.rounded(torch.float64)
        probe._cache["gradients"] = {
            name: _of_argument(probe, values, position)
            for position, name in enumerate(probe.arguments)
            if not isinstance(values[position], int)
        }
    found: dict[str, Array] = probe._cache["gradients"]
    return found


def direction(probe: Probe) -> list[Array]:
    """How much each entry of the results counts in the sum: no two alike."""
    return [
        np.cos(1.0 + np.arange(expected.size)).reshape(expected.shape)
        for expected in probe.expected(torch.float64)
    ]


def central_differences(f: Callable[[Array], float], x: Array, step: float = STEP) -> Array:
    """Gradient of a scalar function by central differences, one entry at a time."""
    gradient = np.empty_like(x)
    for index in np.ndindex(x.shape):
        moved = x.copy()
        moved[index] = x[index] + step
        above = f(moved)
        moved[index] = x[index] - step
        gradient[index] = (above - f(moved)) / (2 * step)
    return gradient


def _of_argument(probe: Probe, values: list[Any], position: int) -> Array:
    def total(moved: Array) -> float:
        args = [*values[:position], moved, *values[position + 1 :]]
        result = probe.function.oracle(*args)
        parts = result if isinstance(result, tuple) else (result,)
        return float(sum((p * c).sum() for p, c in zip(parts, direction(probe), strict=True)))

    return central_differences(total, values[position])
