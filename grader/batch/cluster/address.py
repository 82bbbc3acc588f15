"""What `--scheduler` may say, and the connection that comes of it."""

from __future__ import annotations

import ipaddress
import logging
import re
from contextlib import ExitStack
from urllib.parse import urlsplit

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

from ...course import CourseError

LOCAL = re.compile(r"local:([1-9]\d*)")
"""A scheduler and so many workers of our own, on this machine."""
_FORMS = "Give local:N for N workers here, or a scheduler as tls://HOST:PORT."
_QUIET: dict[str, object] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # it would watch threads that wait
}


def connected(scheduler: str, stack: ExitStack) -> Client:
    """A client of the scheduler that is named; of one that is started here for `local:N`.

    Args:
        scheduler: `local:N`, or an address.
        stack: ends the connection, and with it what was started here.

    Raises:
        CourseError: it is no address, is not safe to use, or nobody answers there.
    """
    if found := LOCAL.fullmatch(scheduler):
        client: Client = stack.enter_context(Client(_started(int(found[1]), stack)))
        return client
    address = checked(scheduler)
    # Workers that come and go are the scheduler's business; what matters to the reader is told.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = stack.enter_context(Client(address))
    except (OSError, TypeError, ValueError) as error:
        raise CourseError(
            f"No scheduler answers at {address}: {error}. Is it running, and are the certificates "
            "(DASK_DISTRIBUTED__COMM__TLS__…) those that it was started with?"
        ) from None
    return client


def _started(workers: int, stack: ExitStack) -> LocalCluster:
    """Workers on this machine. With certificates of their own: others may be logged in here."""
    stack.enter_context(dask.config.set(_QUIET))
    cluster: LocalCluster = stack.enter_context(
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            protocol="tls",
            security=Security.temporary(),
            dashboard_address="127.0.0.1:0",
            memory_limit=0,  # submissions have limits of their own
            silence_logs=logging.CRITICAL,
        )
    )
    return cluster


def checked(scheduler: str) -> str:
    """An address that may be used: encrypted, or one of this machine's own.

    Raises:
        CourseError: it is neither.
    """
    parts = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
    if parts.scheme not in {"tcp", "tls"} or not parts.hostname or not _port(parts.netloc):
        raise CourseError(f"--scheduler {scheduler} is no address. {_FORMS}")
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname):
        raise CourseError(
            f"--scheduler {scheduler} leaves this machine without encryption. Whoever reaches such "
            "a scheduler can read submissions, change marks and run programs as you. Start it with "
            f"certificates and say tls://{parts.netloc}; the guide to clusters shows how."
        )
    return parts.geturl()


def _port(netloc: str) -> bool:
    return re.search(r":\d+$", netloc) is not None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
