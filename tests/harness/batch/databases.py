"""A PostgreSQL server of the tests' own, started once and only if a test asks for it."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import sqlalchemy as sql

USER = "postgres"
"""PostgreSQL refuses to run as root; Debian's package brings this user."""


@cache
def postgresql() -> str:
    """URL of an empty database.

    Where there is no server's program the test is skipped; on the project's own test machines it
    fails.
    """
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        message = "there is no PostgreSQL server here (/usr/lib/postgresql/*/bin)"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    return _started(programs[-1])


@contextmanager
def emptied() -> Iterator[str]:
    """URL of the same database, without a store in it before and after."""
    yield postgresql()
    engine = sql.create_engine(postgresql())
    with engine.begin() as connection:
        connection.execute(sql.text("DROP TABLE IF EXISTS results, epochs"))
    engine.dispose()


def _started(programs: Path) -> str:
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    data = folder / "data"
    if os.geteuid() == 0:
        shutil.chown(folder, USER)
    _as_server([programs / "initdb", "-D", data, "-A", "trust", "-U", USER, "--no-sync"])
    # It listens on a socket in its own folder only; two runs of the tests do not meet.
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    start: list[str | Path] = [
        programs / "pg_ctl",
        "-D",
        data,
        "-w",
        "-l",
        folder / "log",
        "-o",
        options,
        "start",
    ]
    stop: list[str | Path] = [programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
    _as_server(start)
    atexit.register(_as_server, stop)
    return f"postgresql+psycopg://{USER}@/postgres?host={folder}"


def _as_server(command: list[str | Path]) -> None:
    user = USER if os.geteuid() == 0 else None
    subprocess.run(
        [*map(str, command)], check=True, user=user, cwd="/", stdout=subprocess.DEVNULL, timeout=60
    )
