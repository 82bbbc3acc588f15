"""Clusters for tests: workers in threads of this process, with a name each."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from distributed import Client

if find_spec("distributed") is None:
    message = "dask.distributed is not installed: pip install '.[cluster]'"
    if os.environ.get("CI") == "true":
        raise RuntimeError(message)
    collect_ignore_glob = ["test_*.py"]

Start = Callable[..., "Client"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a cluster of workers `a`, `b` … that have some resources each."""
    import dask
    from distributed import Client, SpecCluster
    from distributed.scheduler import Scheduler
    from distributed.worker import Worker

    with ExitStack() as stack, dask.config.set({"distributed.comm.timeouts.connect": "1s"}):

        def cluster(**workers: dict[str, float]) -> Client:
            options = {"protocol": "inproc://", "dashboard_address": "127.0.0.1:0"}
            spec = {
                name: {"cls": Worker, "options": {"nthreads": 1, "resources": has, "name": name}}
                for name, has in workers.items()
            }
            logging.getLogger("distributed").setLevel(logging.CRITICAL)
            started = SpecCluster(
                spec,
                {"cls": Scheduler, "options": options},
                silence_logs=logging.CRITICAL,
            )
            client: Client = stack.enter_context(Client(stack.enter_context(started)))
            client.wait_for_workers(len(workers))
            return client

        yield cluster


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Where the stand-in notes whom it judges."""
    return tmp_path / "journal.txt"
