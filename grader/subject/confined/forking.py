"""Inside the zygote: a process that has PyTorch loaded, and forks a worker for each submission.

It is started by exec, so it holds nothing of the grader's memory, and it never runs a line of a
submission itself. Its only tie to the outside is the control socket that it was started with;
when the grader goes, that socket closes, and the zygote and its workers go, too.
"""

from __future__ import annotations

import array
import gc
import json
import os
import signal
import socket
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from . import accelerators, pages, printed, scripts
from .confinement import Confinement, Prepared
from .limits import Limits
from .rehearsed import Rehearsed

MESSAGE = 1 << 17
_MOST_FDS = 2


def main(control_fd: int) -> None:
    """Load and warm PyTorch, then fork until the control socket closes."""
    control = socket.socket(fileno=control_fd)
    settings = Confinement(**json.loads(control.recv(MESSAGE)))
    from . import warming  # imports torch, which takes seconds

    ready = json.dumps(warming.warm()).encode()
    prepared = Prepared(settings)
    _freeze()
    control.send(ready)
    del ready  # no worker may find it
    known: list[Rehearsed] = []
    running: set[int] = set()
    while True:
        request, fds = _receive(control)
        if not request:
            return _end(running)
        if "gather" in request:
            pages.gather(request["gather"])
            control.send(b"{}")
        elif "rehearse" in request:
            known = [Rehearsed(script) for script in scripts.unpacked(_whole(fds))]
            _freeze()
            control.send(b"{}")
        elif "reap" in request:
            _end([request["reap"]])
            _, status = os.waitpid(request["reap"], 0)
            running.discard(request["reap"])
            control.send(json.dumps({"code": os.waitstatus_to_exitcode(status)}).encode())
        else:
            running.add(_open(control, fds, Workplace(prepared, known, **request)))


def _end(workers: Iterable[int]) -> None:
    """Kill workers that are not reaped yet, and what they started, where nothing forbids that."""
    for pid in workers:
        with suppress(ProcessLookupError):  # it died before it had a group of its own
            os.killpg(pid, signal.SIGKILL)


def _freeze() -> None:
    """Keep a worker's collector from writing to, and so copying, every page."""
    gc.collect()
    gc.freeze()


def _whole(fds: list[int]) -> bytes:
    with open(fds[0], "rb") as file:  # noqa: PTH123 - a descriptor, no path
        return file.read()


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    message, ancillary, _, _ = control.recvmsg(MESSAGE, socket.CMSG_SPACE(_MOST_FDS * 4))
    fds = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(data)
    return (json.loads(message) if message else {}), list(fds)


@dataclass(frozen=True)
class Workplace:
    """What a worker finds when it starts.

    Attributes:
        prepared: how it is confined.
        scripts: what checks are known to ask.
        limits: what it may use.
        memory: MiB that the submission may use, for messages.
    """

    prepared: Prepared
    scripts: Sequence[Rehearsed]
    limits: dict[str, Any]
    memory: int


def _open(control: socket.socket, fds: list[int], place: Workplace) -> int:
    place.prepared.before_fork()
    pid = os.fork()
    if pid == 0:
        control.close()
        _become_worker(fds, place)
    for fd in fds:
        os.close(fd)
    pidfd = os.pidfd_open(pid)
    socket.send_fds(control, [json.dumps({"pid": pid}).encode()], [pidfd])
    os.close(pidfd)
    return pid


def _become_worker(fds: list[int], place: Workplace) -> NoReturn:
    from . import worker

    code = 1
    try:
        connection = socket.socket(fileno=fds[0])
        _redirect(fds[1])
        limits = Limits(**place.limits)
        worker.run(connection, place.memory, lambda: place.prepared.enter(limits), place.scripts)
        code = 0
    finally:
        os._exit(code)


def _redirect(output: int) -> None:
    """Nothing to read, and one place for all that is printed."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    sys.stdout = sys.stderr = printed.stream()
    visible = os.environ.get(accelerators.VISIBLE)
    os.environ.clear()
    if visible is not None:
        os.environ[accelerators.VISIBLE] = visible
