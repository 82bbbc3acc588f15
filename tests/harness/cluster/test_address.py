"""Where the command connects to: its own machine, or an encrypted scheduler, and nothing else."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import dask
import psutil
import pytest
from distributed import Client

from grader.batch.cluster.address import checked, connected
from grader.course import CourseError
from harness.batch import toy
from harness.cli import grader


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://localhost:8786", "tcp://localhost:8786"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
        ("tls://scheduler.example:8786", "tls://scheduler.example:8786"),
    ],
)
def test_addresses_that_may_be_used(given: str, used: str) -> None:
    assert checked(given) == used


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("tcp://10.0.0.1:8786", "without encryption.* say tls://10.0.0.1:8786"),
        ("scheduler.example:8786", "without encryption"),
        ("0.0.0.0:8786", "without encryption"),
        ("127.0.0.1.example:8786", "without encryption"),
        ("tls://scheduler.example", "is no address"),
        ("http://127.0.0.1:8787", "is no address"),
        ("local:0", "without encryption|is no address"),
        ("local:", "is no address"),
        ("", "is no address"),
    ],
)
def test_addresses_that_may_not(given: str, told: str) -> None:
    with pytest.raises(CourseError, match=told):
        checked(given)


def test_nobody_answers() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with (
        ExitStack() as stack,
        dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}),
        pytest.raises(CourseError, match=f"No scheduler answers at tcp://{address}"),
    ):
        connected(address, stack)


def test_the_command_says_what_is_wrong_with_an_address(tmp_path: Path) -> None:
    toy.course(tmp_path)
    toy.hand_in(tmp_path / "class", {"right": toy.RIGHT})
    done = grader("grade", "class", "--scheduler", "tcp://10.0.0.1:8786", cwd=tmp_path)
    assert done.returncode == 2
    assert "without encryption" in done.stderr


def test_workers_of_ones_own_listen_here_only_and_ask_for_a_certificate() -> None:
    with ExitStack() as stack:
        client = connected("local:1", stack)
        me = psutil.Process()
        listening = [
            connection.laddr.ip
            for process in (me, *me.children(recursive=True))
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        assert len(listening) >= 3, "scheduler, nanny and worker"
        assert set(listening) == {"127.0.0.1"}
        address = client.scheduler_info()["address"]
        assert address.startswith("tls://127.0.0.1:")
        for scheme in ("tcp", "tls"):
            with pytest.raises((OSError, TypeError)):
                Client(address.replace("tls", scheme), timeout=1)
