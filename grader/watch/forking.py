"""The warm process where forking is safe: each judgement is a child, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from .judging import Message, Send, requests

Answer = Callable[[Message, Send], None]
_INPUT = 0


@dataclass(frozen=True)
class Child:
    """A judgement that is going on."""

    id: int
    pid: int
    alive: int
    """A pipe's end that closes when the child ends."""

    def stop(self) -> int:
        """End the child and whatever it started; its exit code, negative for a signal."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        os.close(self.alive)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def serve(answer: Answer, warm: Iterator[object], send: Send) -> None:
    """Answer requests until the input closes; the newest one ends the one before it.

    Args:
        answer: judges what a request asks for; it runs in a child.
        warm: steps to take while there is nothing else to do.
        send: sends one message.
    """
    child: Child | None = None
    idle = True  # also while a child judges: there may be another core
    while True:
        waiting = [_INPUT, *([child.alive] if child else [])]
        ready, _, _ = select.select(waiting, [], [], 0 if idle else None)
        if child and child.alive in ready:
            send({"id": child.id, "ended": child.stop()})
            child = None
        elif _INPUT in ready:
            asked = requests()
            if child:
                child.stop()
            if not asked:
                return
            child = _start(asked[-1], answer, send)
        elif not ready:
            idle = next(warm, None) is not None


def _start(request: Message, answer: Answer, send: Send) -> Child:
    alive, held = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(alive)
        _answer(request, answer, send)
    os.close(held)
    return Child(request["id"], pid, alive)


def _answer(request: Message, answer: Answer, send: Send) -> NoReturn:
    """In the child: judge, send, and be gone without a trace of what was run."""
    code = 1
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), _INPUT)
        answer(request, send)
        code = 0
    finally:
        os._exit(code)
