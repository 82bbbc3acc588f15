"""Inside a process that was started for one submission; see `spawning`."""

from __future__ import annotations

import os
import socket
import sys


def main(port: str, memory: str, output: str) -> None:
    """Connect back, show the token, and serve.

    Args:
        port: where the grader listens.
        memory: MiB, for messages.
        output: the file for what the submission prints.
    """
    token = sys.stdin.buffer.read()
    from . import printed, warming, worker  # imports torch

    warming.warm()
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(token)
    sys.stdout = sys.stderr = printed.stream(os.open(output, os.O_WRONLY))
    worker.run(connection, int(memory), lambda: None)
    os._exit(0)
