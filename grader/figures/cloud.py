"""The pairs of figure 3: one seeded draw, the same numbers here and in `static/cloud.mjs`."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DIMS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
PAIRS = 240

# Picked, and the caption says so: with it the measured standard deviation of the 240 dot products
# stays within 5 % of √d at every d from 1 to 512. About one seed in 3,000 does; a seed taken at
# random strays by a standard error of 4.7 % (9.1 % at d = 1) at each step.
SEED = 1408


def _uniform(seed: int, count: int) -> Floats:
    """The first numbers of mulberry32, in (0, 1): its state only counts, so all come at once."""
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x6D2B79F5)
    state = (steps + np.uint64(seed)).astype(np.uint32)
    t = (state ^ (state >> np.uint32(15))) * (state | np.uint32(1))
    t ^= t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))
    numbers: Floats = (t ^ (t >> np.uint32(14))) / 2.0**32 + 2.0**-33
    return numbers


def pairs(seed: int = SEED) -> tuple[Floats, Floats]:
    """The vectors q and k, each (240 pairs, 512), independent standard normal components."""
    draws = _uniform(seed, DIMS[-1] * PAIRS * 2).reshape(DIMS[-1], PAIRS, 2)
    radius, angle = np.sqrt(-2 * np.log(draws[..., 0])), 2 * np.pi * draws[..., 1]
    return (radius * np.cos(angle)).T, (radius * np.sin(angle)).T


def prefix_products(q: Floats, k: Floats, dims: tuple[int, ...] = DIMS) -> Floats:
    """Dot products of the first d components of each pair: (steps, pairs), a row for each d."""
    totals: Floats = np.cumsum(q * k, axis=-1)
    return totals[:, [d - 1 for d in dims]].T


def scores(seed: int = SEED) -> Floats:
    """The raw dot products of figure 3, (10 steps, 240 pairs); row t belongs to `DIMS[t]`."""
    return prefix_products(*pairs(seed))
