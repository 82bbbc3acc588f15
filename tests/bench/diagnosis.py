"""What naming a mistake costs in a confined run: each known one, known and as if it was not.

Each is diagnosed once, from the opening of its worker to its end, with banks that have been read.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from rich.progress import track

from grader.batch.task import Task
from grader.course import Course, Stage, load
from grader.diagnosis.answers import Variant
from grader.diagnosis.bank import StageBank, sources
from grader.diagnosis.engine import Diagnoser
from grader.diagnosis.proof import answers, with_banks
from grader.subject.confined import ladder
from grader.suite.session import Suites, with_suites

ROOT = Path(__file__).parents[2]
SEED = "bench"


def main() -> None:
    """Print milliseconds a diagnosis, by stage."""
    course = load(ROOT)
    torch.set_num_threads(1)
    with ladder.start() as workers:

        def work(suites: Suites) -> None:
            named = Task(course, course.stages, suites, workers)._name_mistakes
            print("ms a wrong answer    known: median, 95 %, most    unknown: median, 95 %, most")
            gc.collect()
            gc.freeze()  # as a process that judges does
            for stage in with_banks(course):
                known, unknown = [*_times(course, named, stage)], [*_unknown(course, named, stage)]
                print(f"{stage.name:20} {_row(known):>28} {_row(unknown):>30}")

        with_suites(course, course.stages, SEED, work)


def _unknown(course: Course, named: Diagnoser, stage: Stage) -> Iterator[float]:
    """The same with an empty bank, so that nothing explains any of them."""
    own = named.of_stage(stage)
    vars(own)["bank"] = StageBank((), {})
    yield from _times(course, named, stage)


def _times(course: Course, named: Diagnoser, stage: Stage) -> Iterator[float]:
    named.of_stage(stage).bank  # noqa: B018 - read once in a run, not for every submission
    wrong = [answer for answer in answers(course, stage) if not isinstance(answer, Variant)]
    for answer in track(wrong, stage.name, transient=True):
        given = sources(course, stage, answer)
        start = time.perf_counter()
        named.mistakes(stage, given)
        yield 1e3 * (time.perf_counter() - start)


def _row(times: list[float]) -> str:
    return "  ".join(f"{value:6.0f}" for value in np.percentile(times, [50, 95, 100]))
