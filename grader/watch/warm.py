"""The warm process: PyTorch and the suites are loaded, each judgement has a process of its own.

Requests come in on its input and answers go out on what was its output when it started, a line of
JSON each. A newer request ends the one before it.

Told to `fork`, it runs each judgement in a fork. Told to do it `once`, it judges once and ends, and
who started it has the next one warming up already.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from pathlib import Path

import torch

from .. import course as courses
from ..course import Course, CourseError
from ..suite.session import Suites, with_suites
from .judging import Judging, Message, Send, requests


def main() -> None:
    """Answer requests until the input closes."""
    send = _sender(_private_output())
    torch.set_num_threads(1)  # a pool of threads does not survive a fork
    try:
        course = courses.load(Path.cwd())
        seed = secrets.token_hex(8)
        with_suites(course, course.stages, seed, lambda suites: _serve(course, suites, send))
    except CourseError as error:
        send({"trouble": str(error)})


def _private_output() -> int:
    """The output, for answers alone: what a submission prints goes nowhere."""
    own, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return own


def _sender(output: int) -> Send:
    def send(message: Message) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(output, data) :]

    return send


def _serve(course: Course, suites: Suites, send: Send) -> None:
    judging = Judging(course, suites)
    if sys.argv[1:] == ["fork"]:
        from .forking import serve  # not every system has what it needs

        serve(judging.answer, judging.warm(), send)
        return
    for _ in judging.warm():
        pass
    for request in requests()[-1:]:
        judging.answer(request, send)
        send({"id": request["id"], "ended": 0})


if __name__ == "__main__":
    main()
