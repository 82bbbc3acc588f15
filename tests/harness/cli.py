"""Running the grader's commands as a person would: in a process of their own."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from harness.tracer import untraced

ROOT = Path(__file__).parents[2]


def grader(
    *args: str | Path,
    cwd: Path = ROOT,
    timeout: float = 120,
    measured: bool = True,
    **env: str,
) -> subprocess.CompletedProcess[str]:
    """Run `python -m grader …` in a folder and give back its exit code and what it printed."""
    own = os.environ if measured else untraced()
    environment = {**own, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **env}
    command = ["grader", *map(str, args)]
    return _run({"args": command, "cwd": str(cwd), "env": environment}, "", timeout)


def python(
    code: str,
    *args: str | Path,
    cwd: Path = ROOT,
    env: Mapping[str, str] = os.environ,
    said: str = "",
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run `python -c CODE …`, with PyTorch loaded already and nothing of the grader.

    Args:
        code: the program.
        args: its arguments.
        cwd: the folder that it runs in.
        env: its environment.
        said: its standard input.
        timeout: seconds that it may take.
    """
    request = {"code": code, "args": ["-c", *map(str, args)], "cwd": str(cwd), "env": {**env}}
    return _run(request, said, timeout)


def _run(request: Mapping[str, Any], said: str, timeout: float) -> subprocess.CompletedProcess[str]:
    with ExitStack() as opened:
        ins, out, err = files = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        ins.write(said.encode())
        ins.seek(0)
        code = _warm().run(request, [file.fileno() for file in files], timeout)
        printed, complained = (_read(file.fileno()) for file in (out, err))
    return subprocess.CompletedProcess(request["args"], code, printed, complained)


def _read(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode("utf-8")


class Warm:
    """The process of `harness.warm`, which forks one for each command."""

    def __init__(self) -> None:
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("warm.py"), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env=untraced(),
            )
        atexit.register(self.close)

    def run(self, request: object, files: list[int], timeout: float) -> int:
        """Have a command run to its end, and return its exit code.

        Raises:
            TimeoutExpired: it took too long; it has been killed.
        """
        with self._lock:
            self._asking.settimeout(None)
            socket.send_fds(self._asking, [json.dumps(request).encode()], files)
            process = int(self._asking.recv(64))
            self._asking.settimeout(timeout)
            try:
                return int(self._asking.recv(64))
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                self._asking.settimeout(None)
                self._asking.recv(64)
                raise subprocess.TimeoutExpired("grader", timeout) from None

    def close(self) -> None:
        """End the process."""
        self._asking.close()
        self._process.wait()


_warm = cache(Warm)
