"""Who is there: the scheduler asked, again and again, for its workers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from distributed import Client, Scheduler

ACCELERATOR = "GPU"
"""The resource that a worker with an accelerator is started with: `--resources GPU=1`."""
DEATHS = 2
"""How many workers or processes a submission may end before it is not tried again."""

Workers = dict[str, tuple[int, bool]]
"""For each worker's address its threads, and whether it has an accelerator."""
PREFIX = "judging-"
"""How a run's name begins; its client's id follows."""


@dataclass
class Roll:
    """The workers of a cluster, as they were a moment ago.

    Attributes:
        name: of the run.
        patience: seconds to wait for a worker with an accelerator; None to expect none.
        workers: who is there.
        left: why workers left that could not judge.
    """

    name: str
    patience: float | None
    workers: Workers = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    _hoped_since: float = field(default_factory=time.monotonic)

    async def call(self, client: Client) -> None:
        """Ask the scheduler.

        Raises:
            OSError: it is gone.
        """
        self.workers, self.left = await client.run_on_scheduler(present, topic=self.name)
        if self.accelerators:
            self._hoped_since = time.monotonic()

    @property
    def threads(self) -> int:
        """How many submissions they judge at a time."""
        return sum(threads for threads, _ in self.workers.values())

    @property
    def accelerators(self) -> bool:
        """Whether a worker with an accelerator is there."""
        return any(has for _, has in self.workers.values())

    def others(self, tried: set[str]) -> list[str] | None:
        """Workers to prefer for what failed on some of them; None if there is no choice."""
        rest = [address for address in self.workers if address not in tried]
        return rest if tried and rest else None

    def hopes(self) -> bool:
        """Whether to expect an accelerator: one is there, or there is time for one to come."""
        if self.patience is None:
            return False
        return self.accelerators or time.monotonic() - self._hoped_since < self.patience


def present(dask_scheduler: Scheduler, topic: str) -> tuple[Workers, list[str]]:
    """Run on the scheduler: who is there, and what those said who left.

    From now on a worker's death is told to the client, which knows better whom to try again.
    """
    dask_scheduler.allowed_failures = 0
    workers = {
        worker.address: (worker.nthreads, ACCELERATOR in worker.resources)
        for worker in dask_scheduler.workers.values()
    }
    return workers, [message for _, message in dask_scheduler.get_events(topic)]


def forgotten(dask_scheduler: Scheduler) -> list[str]:
    """Run on the scheduler: names of runs whose client is gone."""
    names = (name for name in dask_scheduler.worker_plugins if name.startswith(PREFIX))
    return [name for name in names if name.removeprefix(PREFIX) not in dask_scheduler.clients]
