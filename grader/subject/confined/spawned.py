"""Inside a process that was started for one submission; see `spawning`."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading


def main(port: str, memory: str, output: str) -> None:
    """Connect back, show the token, and serve.

    Args:
        port: where the grader listens.
        memory: MiB, for messages.
        output: the file for what the submission prints.
    """
    token = sys.stdin.buffer.readline().strip()
    end = threading.Thread(target=_end_with_the_grader, daemon=True)
    end.start()
    from . import printed, warming, worker  # imports torch
    from .frames import Channel

    ready = {"refusals": warming.warm()}
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(token)
    Channel(connection).send(ready)
    del ready  # the submission must not find it
    sys.stdout = sys.stderr = printed.stream(os.open(output, os.O_WRONLY))
    worker.run(connection, int(memory), lambda: None)
    end.join()  # to leave alone would leave behind what the submission started


def _end_with_the_grader() -> None:
    """Leave when standard input closes, whatever the submission is doing, with all it started."""
    sys.stdin.buffer.read()
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
