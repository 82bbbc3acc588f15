"""Inside a process that judges: one pytest session and one zygote, for many submissions.

Run as a program by `local`. Orders and submissions come by standard input, results go out by what
was standard output; when the run ends or is killed, its end of both closes, and so ends this.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO

import torch

from .. import course as courses
from ..course import CourseError
from ..machinery import MachineryError
from ..record import submission_to_dict
from ..subject.confined import ladder
from ..subject.confined.levels import LEVELS, Level
from ..subject.confined.process import Workers
from ..suite.session import Suites, with_suites
from .talk import Orders, Part, hear, orders_from, say, unpacked
from .task import Task


def main() -> None:
    """Hear the orders, get ready, and judge until nothing more comes."""
    # An interrupt is for the run to hear, which then ends this; the zygote inherits the setting.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)
    lines_in, lines_out = _lines()
    line = hear(lines_in)
    if line is None:
        return
    try:
        _judge_all(orders_from(line), lines_in, lines_out)
    except (CourseError, ladder.Unconfined) as error:
        say(lines_out, refused=str(error))
    except BrokenPipeError:  # the run was killed, and nobody hears a result any more
        os._exit(0)


def _lines() -> tuple[IO[str], IO[str]]:
    """The streams to the run. What a library prints must not get between the lines."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return sys.stdin, out


def _judge_all(orders: Orders, lines_in: IO[str], lines_out: IO[str]) -> None:
    course = courses.load(Path(orders.root))
    stages = [course.stage(name) for name in orders.stages]
    with _workers(orders) as workers:

        def work(suites: Suites) -> None:
            task = Task(course, stages, suites, workers)
            gc.collect()
            gc.freeze()  # what is loaded by now stays: the collector need not walk through it
            say(lines_out, ready=asdict(workers.isolation))
            while (line := hear(lines_in)) is not None:
                try:
                    result = task(unpacked(line), Part(line["part"]))
                    say(lines_out, result=submission_to_dict(result))
                except MachineryError as error:
                    say(lines_out, trouble=str(error))

        with_suites(course, stages, orders.seed, work)


def _workers(orders: Orders) -> Workers:
    levels = LEVELS if orders.level is None else [Level(orders.level)]
    return ladder.start(trust=orders.trust, levels=levels)


if __name__ == "__main__":
    main()
