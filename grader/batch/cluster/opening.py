"""From what the command was given to a cluster that judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import dask
from dask.utils import parse_timedelta
from distributed import Client
from distributed.client import FutureCancelledError

from ...course import Course, Stage
from ...machinery import Stopped
from ..basis import basis
from ..talk import Orders
from .address import LOCAL, connected
from .judges import LOST, Cluster, Shape
from .roll import PREFIX, forgotten
from .worker import Judging, isolation_here

PATIENCE = "grader.accelerator-wait"
"""Dask's setting for how long to wait for a worker with an accelerator."""


def opened(
    scheduler: str,
    course: Course,
    stages: Sequence[Stage],
    orders: Orders,
    tell: Callable[[str], None],
    stack: ExitStack,
) -> Cluster:
    """Judges on a cluster.

    Args:
        scheduler: what `--scheduler` said.
        course: the course.
        stages: the stages to judge.
        orders: what to judge by; the first worker finds the level, and all others use it.
        tell: hears what the reader should know of the workers.
        stack: closes all that is opened here.

    Raises:
        CourseError: there is no such scheduler, or its workers cannot judge this course.
        Stopped: the scheduler went away meanwhile.
    """
    client = connected(scheduler, stack)
    try:
        return stack.enter_context(_begun(client, scheduler, course, stages, orders, tell))
    except (OSError, FutureCancelledError):
        raise Stopped(LOST) from None


def _begun(
    client: Client,
    scheduler: str,
    course: Course,
    stages: Sequence[Stage],
    orders: Orders,
    tell: Callable[[str], None],
) -> Cluster:
    tidy(client)
    if not client.nthreads():
        tell("No worker is there yet; waiting for one.")
    client.wait_for_workers(1)
    isolation = client.submit(isolation_here, orders, pure=False).result()
    orders = replace(orders, level=isolation.level)
    plugin = Judging(orders, basis(course, stages, isolation), f"{PREFIX}{client.id}")
    accelerated = any(stage.ratios for stage in stages) and not LOCAL.fullmatch(scheduler)
    patience = parse_timedelta(dask.config.get(PATIENCE, "1 minute")) if accelerated else None
    shape = Shape([stage.name for stage in stages], patience)
    return Cluster(client, plugin, isolation, shape, tell)


def tidy(client: Client) -> None:
    """End the processes of runs whose client was killed."""
    for name in client.run_on_scheduler(forgotten):
        client.unregister_worker_plugin(name)
