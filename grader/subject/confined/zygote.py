"""The grader's side of a zygote: start it, have it fork workers, notice when it dies."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from ...record import Isolation
from ..protocol import Sources
from . import accelerators, pages, printed
from .client import Confined
from .frames import BadFrame, Channel, Closed, Deadline
from .levels import Level
from .limits import MIB
from .process import MachineryError, Remote
from .roots import PACKAGE
from .scripts import Numbered, Script, packed
from .turns import Seat, Turns

MESSAGE = 1 << 17
START = 120.0
"""Seconds for a zygote to load PyTorch, on a machine that is busy or has a slow disk."""
OPEN = 30.0
"""Seconds for a worker to be forked and confined."""

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.subject.confined.forking import main; sys.path.pop(0); main(int(sys.argv[2]))"
)
_KEPT = ("LD_LIBRARY_PATH", accelerators.VISIBLE)
_SET = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # Memory that is given back to the system has to be fetched again, page by page.
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TOP_PAD_": "4194304",
    # Asking whether there is a GPU would otherwise make CUDA unusable after a fork.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}


class Zygote:
    """A process with PyTorch loaded that forks a confined worker for every submission.

    It may be used by several threads at once, and starts again by itself when it is asked for a
    worker after it died. A context manager.

    Args:
        level: how strongly workers are confined.

    Raises:
        MachineryError: it did not start.
    """

    def __init__(self, level: Level) -> None:
        self.level = level
        self._lock = threading.Lock()
        self._scripts: Mapping[str, Script] = {}
        self._known: Mapping[str, Numbered] = {}
        self._start()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def isolation(self) -> Isolation:
        """What to write into a record."""
        return self.level.isolation()

    @property
    def pid(self) -> int:
        """The zygote's process id, as this process sees it."""
        return self._pid

    def open(
        self,
        sources: Sources,
        *,
        forbidden: Sequence[str] = (),
        memory: int,
        seconds: float,
        accelerator: bool = False,
        turns: Turns | None = None,
    ) -> Remote:
        """A judged stage in a confined worker; see `Workers.open`."""
        wanted = accelerator and bool(self.level.opening)
        kind = memory, wanted
        seat = Seat(kind, lambda: self.worker(*kind), sources, forbidden, turns)
        return Confined(seat, sources, seconds, self._known)

    def rehearse(self, scripts: Mapping[str, Script]) -> None:
        """Tell all workers to come what checks are known to ask, by the checks' names."""
        self._scripts = scripts
        self._known = {name: (n, script) for n, (name, script) in enumerate(scripts.items())}
        with self._lock:
            self._hand_over()

    def worker(self, memory: int, accelerator: bool = False) -> Worker:
        """A confined worker that has loaded nothing yet."""
        with ExitStack() as kept:
            output = os.memfd_create("output", os.MFD_CLOEXEC)
            kept.callback(os.close, output)
            ours, theirs = socket.socketpair()
            kept.enter_context(ours)
            with theirs, self._lock:
                self._revive()
                limits = {"memory": self._room(memory, accelerator), "accelerator": accelerator}
                request = {"limits": limits, "memory": memory}
                reply, fds = self._ask(request, [theirs.fileno(), output])
            kept.pop_all()
        process = reply["pid"], fds[0]
        worker = Worker(self, process, Channel(ours), output, dict(self._refusals))
        worker.expect_confined()
        return worker

    def reap(self, pid: int) -> int:
        """Wait for a worker that has ended, and return its exit code."""
        with self._lock:
            return int(self._ask({"reap": pid}, [])[0]["code"])

    def close(self) -> None:
        """End the zygote and every worker of it."""
        self._control.close()
        try:
            self._program.wait(5)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        self._complaints.close()

    def _start(self) -> None:
        self._launch()
        try:
            self._pid, self._refusals = self._wait_until_ready()
            self._hand_over()
        except BaseException:
            self.close()
            raise

    def _hand_over(self) -> None:
        """Give the zygote the scripts, and have it tidy its memory for the forks to come."""
        with os.fdopen(os.memfd_create("scripts", os.MFD_CLOEXEC), "wb") as file:
            file.write(packed(self._scripts.values()))
            file.flush()
            file.seek(0)
            self._ask({"rehearse": True}, [file.fileno()])
        self._ask({"gather": pages.private(self._pid)}, [])

    def _launch(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The kernel then says with each message which process sent it, by our own numbers.
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._complaints = os.fdopen(os.memfd_create("complaints", os.MFD_CLOEXEC), "rb")
        boot = [sys.executable, "-I", "-c", _BOOT, str(PACKAGE.parent), str(theirs.fileno())]
        with theirs:
            self._program = subprocess.Popen(
                [*self.level.wrapper(), *boot],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                pass_fds=[theirs.fileno()],
                env=self._environment(),
                cwd="/",
            )
        settings = json.dumps(asdict(self.level.confinement())).encode()
        with contextlib.suppress(OSError):  # it may have failed to start: the reply will tell
            self._control.send(settings)

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        scratch = self.level.scratch()
        return _SET | kept | ({"TMPDIR": scratch} if scratch else {})

    def _wait_until_ready(self) -> tuple[int, dict[str, list[int]]]:
        self._control.settimeout(START)
        space = socket.CMSG_SPACE(_CREDENTIALS)
        try:
            message, ancillary, _, _ = self._control.recvmsg(MESSAGE, space)
        except OSError:  # it left with our message unread, or takes longer than START
            message = b""
        if not message:
            raise MachineryError(f"the process for submissions did not start: {self._said()}")
        self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        self._control.settimeout(OPEN)
        pid = next(int.from_bytes(data[:4], sys.byteorder) for _, _, data in ancillary)
        return pid, json.loads(message)

    def _said(self) -> str:
        return printed.end(self._complaints.fileno())[-2000:].strip()

    def _revive(self) -> None:
        """Start again after a death, which shows in the connection before the system says it."""
        closed = bool(select.select([self._control], [], [], 0)[0])
        if closed or self._program.poll() is not None:
            self.close()
            self._start()

    def _room(self, memory: int, accelerator: bool) -> int:
        """Bytes that a worker may hold: what it has from the zygote, and its own MiB."""
        try:
            held = _pages(self._pid, _PRIVATE if accelerator else _MAPPED)
        except (OSError, IndexError):
            raise MachineryError("the process that starts submissions died") from None
        return held + memory * MIB

    def _ask(self, request: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        try:
            with _undisturbed():
                socket.send_fds(self._control, [json.dumps(request).encode()], fds)
                reply, received, _, _ = socket.recv_fds(self._control, MESSAGE, 4)
        except OSError as error:
            raise MachineryError(f"the process that starts submissions failed: {error}") from None
        if not reply:
            raise MachineryError(f"the process that starts submissions died. {self._said()}")
        return json.loads(reply), received


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep a check's alarm out of the block; it comes right after it.

    An answer of the zygote's that nobody waits for any more would be taken for that to the next
    question.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_CREDENTIALS = 12
"""Bytes of `struct ucred`: process, user and group."""


class Worker:
    """A forked worker: a `Process`."""

    def __init__(
        self,
        zygote: Zygote,
        process: tuple[int, int],
        channel: Channel,
        output: int,
        refusals: dict[str, list[int]],
    ) -> None:
        self.channel = channel
        self.refusals = refusals
        self._zygote = zygote
        self._pid, self._pidfd = process
        self._output = output
        self._code: int | None = None
        self._ended = False
        self._page = 0

    def expect_confined(self) -> None:
        """Wait for the worker's word, given before any submission is near, that it is confined."""
        try:
            said, _ = self.channel.receive(Deadline(OPEN))
        except (Closed, BadFrame, TimeoutError) as error:
            self.end()
            raise MachineryError(f"a worker did not start: {error!r}") from None
        if said:
            self.end()
            raise MachineryError(f"a worker could not be confined: {said.get('trouble')}")

    def end(self, patience: float = 0.0) -> int | None:
        """See `Process.end`."""
        with _undisturbed():
            return self._end(patience)

    def _end(self, patience: float) -> int | None:
        if not self._ended:
            self._ended = True
            by_itself = bool(select.select([self._pidfd], [], [], patience)[0])
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            self._said = printed.end(self._output, self._page)
            try:
                code = self._zygote.reap(self._pid)
            finally:
                self.channel.close()
                os.close(self._pidfd)
                os.close(self._output)
            self._code = code if by_itself else None
        return self._code

    def output(self) -> str:
        """See `Process.output`."""
        return self._said if self._ended else printed.end(self._output, self._page)

    def turn_page(self) -> None:
        """See `Process.turn_page`."""
        self._page = os.fstat(self._output).st_size


_MAPPED, _PRIVATE = 0, 5
"""Where proc(5) has, in statm, all that a process has mapped, and its data and stacks."""


def _pages(pid: int, which: int) -> int:
    """Bytes of a process's memory of one kind."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[which])
    return pages * os.sysconf("SC_PAGE_SIZE")
