"""A submission's module against the reference's, or against itself on the CPU."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from filelock import FileLock
from torch import Tensor

from ..subject import Subject
from ..subject.protocol import ModuleHandle
from .chain import MOST_STEPS, same
from .hardware import number, throttled
from .timing import Comparison, Plan, Timing, Unit

LEAST_SECONDS = 0.1
"""How long a unit takes at least: what it costs to send and fetch a tensor is little beside it."""

Clock = Callable[[], float]


class Side:
    """One side of a contest: a module where it runs, and the device that it runs on.

    Args:
        subject: where the module lives.
        module: it; it takes x and gives a tensor of x's shape.
        device: "accelerator" or "cpu".
        clock: the trusted side's own, in seconds.
    """

    def __init__(
        self,
        subject: Subject,
        module: ModuleHandle,
        device: str = "accelerator",
        clock: Clock = time.perf_counter,
    ) -> None:
        self._subject = subject
        self._module = module
        self._device = device
        self._clock = clock

    def unit(self, steps: int) -> Unit[Tensor]:
        """A chain of so many calls, timed from here: from sending x to holding the result."""

        def run(x: Tensor) -> tuple[float, object]:
            own = x.clone()  # what a side does to its input is not seen by the other
            with self._subject.on("chain", steps=steps, device=self._device), torch.no_grad():
                start = self._clock()
                result = self._module(own)
                return self._clock() - start, result

        return run

    def device(self, x: Tensor) -> str | None:
        """Where it runs, such as "cuda:0"; None where there is no accelerator."""
        with self._subject.on("chain", steps=0, device=self._device) as seen:
            self._module(x)
        found: str | None = seen["device"]
        return found


def contest(yours: Side, reference: Side, fresh: Callable[[], Tensor], plan: Plan) -> Timing:
    """Time one side against the other, on chains long enough for the reference."""
    steps = steps_for(reference, fresh)
    return Comparison(yours.unit(steps), reference.unit(steps), fresh, same, throttled).run(plan)


def steps_for(side: Side, fresh: Callable[[], Tensor]) -> int:
    """How many calls of a module take `LEAST_SECONDS`, found by doubling.

    The faster of two runs counts: the first of all pays for what is set up once, and a machine
    that is busy elsewhere must not make the units short.
    """
    steps = 1
    while steps < MOST_STEPS and _faster_of_two(side.unit(steps), fresh) < LEAST_SECONDS:
        steps = min(2 * steps, MOST_STEPS)
    return steps


def _faster_of_two(unit: Unit[Tensor], fresh: Callable[[], Tensor]) -> float:
    return min(unit(fresh())[0] for _ in range(2))


@contextmanager
def alone_on(device: str, seconds: float = 600) -> Iterator[None]:
    """Hold a device for oneself: of all graders on this machine only one times on it at once.

    Graders that were given different GPUs by `CUDA_VISIBLE_DEVICES` do not wait for each other.

    Raises:
        filelock.Timeout: another one held it for so long.
    """
    name = f"{device}-{number()}".replace(":", "-")
    with FileLock(Path(tempfile.gettempdir()) / f"attention-course-{name}.lock", seconds):
        yield
