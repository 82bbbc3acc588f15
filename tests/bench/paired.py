"""Measuring two or more things in turn, so that a machine's moods hit all of them alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Median and quartiles of a figure."""

    low: float
    median: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3g} (quartiles {self.low:.3g} to {self.high:.3g})"


def spread(values: list[float]) -> Spread:
    """The quartiles of some values; at least two."""
    return Spread(*statistics.quantiles(values, n=4))


def seconds(things: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Wall seconds of each thing in each round; every second round runs them backwards."""
    taken: dict[str, list[float]] = {name: [] for name in things}
    for number in range(rounds):
        order = list(things)[:: 1 if number % 2 == 0 else -1]
        for name in order:
            start = time.perf_counter()
            things[name]()
            taken[name].append(time.perf_counter() - start)
    return taken


def ratios(taken: Mapping[str, list[float]], to: str) -> dict[str, Spread]:
    """Each thing's time relative to another's of the same round."""
    return {
        name: spread([a / b for a, b in zip(values, taken[to], strict=True)])
        for name, values in taken.items()
        if name != to
    }
