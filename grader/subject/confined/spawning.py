"""Where nothing can be forked or confined: a fresh process for each submission, nothing more.

For macOS and Windows, and only for submissions that are trusted. It starts slowly, because every
process loads PyTorch anew.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from ...record import Isolation
from ..protocol import Sources
from . import printed
from .accelerators import VISIBLE
from .client import Confined
from .frames import Channel
from .levels import CONTROLS
from .process import MachineryError, Remote
from .roots import PACKAGE
from .scripts import Script
from .turns import Seat, Turns

START = 120.0
"""Seconds for a process to load PyTorch."""

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.subject.confined.spawned import main; sys.path.pop(0); main(*sys.argv[2:])"
)
_KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", VISIBLE)


class Spawner:
    """Starts a process for every submission. A context manager."""

    def __enter__(self) -> Spawner:
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
        held, *others = CONTROLS
        return Isolation(0, (held.held,), tuple(control.missing for control in others))

    def open(
        self,
        sources: Sources,
        *,
        forbidden: Sequence[str] = (),
        memory: int,
        seconds: float,
        accelerator: bool = False,  # noqa: ARG002 - nothing keeps it from one
        turns: Turns | None = None,
    ) -> Remote:
        """A judged stage in a process of its own; see `Workers.open`."""
        seat = Seat(memory, lambda: Spawned(memory), sources, forbidden, turns)
        return Confined(seat, sources, seconds)

    def rehearse(self, scripts: Mapping[str, Script]) -> None:
        """Nothing: scripts would have to be sent to every process, and starting it costs most."""

    def close(self) -> None:
        """Nothing: every process ends with its subject."""


class Spawned:
    """A process that was started for one submission: a `Process`.

    It connects back over the loopback interface, and shows the token that it read from its
    standard input, so that no other program can take its place.
    """

    def __init__(self, memory: int) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._printed = Path(self._folder.name, "printed")
        self._printed.touch()
        self._said = ""
        self._page = 0
        token = secrets.token_hex()
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(START)
            port = server.getsockname()[1]
            self._program = self._started(port, memory)
            self._tell(token)
            self.channel = Channel(self._connected(server, token.encode()))
        self.refusals: dict[str, list[int]] = self.channel.receive()[0]["refusals"]
        self.channel.receive()

    def _started(self, port: int, memory: int) -> subprocess.Popen[bytes]:
        arguments = [str(PACKAGE.parent), str(port), str(memory), str(self._printed)]
        return subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            cwd=self._folder.name,
            start_new_session=True,
        )

    def _tell(self, token: str) -> None:
        """Hand the token over. The stream stays open: it closes when the grader ends."""
        if self._program.stdin is not None:
            self._program.stdin.write(f"{token}\n".encode())
            self._program.stdin.flush()

    def _connected(self, server: socket.socket, token: bytes) -> socket.socket:
        try:
            connection, _ = server.accept()
            shown = connection.recv(len(token), socket.MSG_WAITALL)
        except OSError as error:
            self._kill()
            raise MachineryError(f"a process for a submission did not start: {error}") from None
        if not hmac.compare_digest(shown, token):
            self._kill()
            raise MachineryError("another program answered in place of the submission's process")
        return connection

    def _kill(self) -> None:
        """Kill it, and where processes have groups, what it started."""
        if sys.platform == "win32":
            self._program.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._program.pid, signal.SIGKILL)

    def end(self, patience: float = 0.0) -> int | None:
        """See `Process.end`."""
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._program.wait(patience)
        self._kill()
        self._program.communicate()
        self._said = self.output()
        self.channel.close()
        self._folder.cleanup()
        return code

    def output(self) -> str:
        """See `Process.output`."""
        if not self._printed.exists():
            return self._said
        with self._printed.open("rb") as file:
            return printed.end(file.fileno(), self._page)

    def turn_page(self) -> None:
        """See `Process.turn_page`."""
        self._page = self._printed.stat().st_size
