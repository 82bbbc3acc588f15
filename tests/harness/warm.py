"""A process that has loaded PyTorch and forks one for each command of the tests.

Loading PyTorch takes most of what a short command takes. Nothing of the grader is loaded before the
fork: each command reads it anew, and is measured as any process of the tests is.
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import random
import runpy
import socket
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from coverage import process_startup

REQUEST = 1 << 17
"""Bytes that a request may have: arguments and environment."""


def main() -> None:
    """Fork a process for each request; answer with its id, and with its exit code at the end."""
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # see conftest.py
    import jsonschema  # noqa: F401 - loaded for the forks, as the others are
    import pytest  # noqa: F401
    import torch  # noqa: F401

    fork = multiprocessing.get_context("fork")
    with socket.socket(fileno=int(sys.argv[1])) as asked:
        while True:
            request, files, *_ = socket.recv_fds(asked, REQUEST, 3)
            if not request:
                return
            command = fork.Process(target=become, args=(json.loads(request), files, asked))
            command.start()
            for file in files:
                os.close(file)
            asked.send(str(command.pid).encode())
            command.join()
            asked.send(str(command.exitcode).encode())


def become(request: Mapping[str, Any], files: list[int], asked: socket.socket) -> None:
    """Run `python -m grader`, or some code, as if this process had just been started for it."""
    asked.close()
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None
    random.seed()
    sys.argv = request["args"]
    sys.path[:0] = [request["cwd"], *request["env"].get("PYTHONPATH", "").split(os.pathsep)]
    try:
        process_startup()  # measures coverage, where the environment asks for it
        if code := request.get("code"):
            exec(code, {"__name__": "__main__"})  # noqa: S102 - a test's own
        else:
            runpy.run_module("grader", run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()  # which processes of multiprocessing leave out


if __name__ == "__main__":
    sys.path.pop(0)  # this folder
    main()
