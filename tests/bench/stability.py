"""Whether verdicts depend on luck: every known answer judged with many seeds.

A verdict is whether a mistake loses points and a variant does not. Which of several checks a
mistake fails may depend on the numbers; that it fails one may not. A check's limit of time is out
of reach here: with other work on the machine it would be luck, too.
"""

import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from rich.progress import track

from grader.course import Course, Stage, load
from grader.diagnosis import Variant
from grader.diagnosis.answers import Answer
from grader.diagnosis.bank import sources
from grader.diagnosis.proof import answers, costs, with_banks
from grader.subject.in_process import InProcess
from grader.suite.session import Suites, with_suites

ROOT = Path(__file__).parents[2]
SEEDS = 1000
PATIENCE = 100.0
"""Seconds for a check that takes a hundredth of one."""


def main() -> None:
    """Print how many verdicts were given, and which were wrong."""
    course = patient()
    known = sum(len(answers(course, stage)) for stage in with_banks(course))
    wrong = measured([f"stability {n}" for n in range(SEEDS)], os.cpu_count() or 1)
    print(f"{known} known answers, {SEEDS} seeds: {wrong.total()} wrong verdicts")
    for id_, count in wrong.most_common():
        print(f"  {id_}: {count}")


def measured(seeds: Sequence[str], jobs: int) -> Counter[str]:
    """For each answer, how many of the seeds judged it wrongly; empty if all verdicts agree."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        found = pool.map(partial(misjudged, patient()), seeds, chunksize=4)
        return Counter(id_ for ids in track(found, "Seeds", len(seeds)) for id_ in ids)


def patient() -> Course:
    """The course, with all the time that its checks may want."""
    course = load(ROOT)
    return replace(course, stages=tuple(replace(s, seconds=PATIENCE) for s in course.stages))


def misjudged(course: Course, seed: str) -> list[str]:
    """Ids of the answers that a seed judges wrongly, a right one's with the check that failed."""
    stages = with_banks(course)
    found: list[str] = []

    def work(suites: Suites) -> None:
        for stage in stages:
            for answer in answers(course, stage):
                lost = _loss(course, suites, stage, answer)
                if isinstance(answer, Variant) is (lost is not None):
                    found.append(f"{answer.id} ({lost or 'passed'})")

    with_suites(course, stages, seed, work)
    return found


def _loss(course: Course, suites: Suites, stage: Stage, answer: Answer) -> str | None:
    """The id of the first check in which an answer loses points."""
    subject = InProcess(sources(course, stage, answer), stage.forbidden)
    try:
        return next((check.id for check in suites.each(stage.name, subject) if costs(check)), None)
    finally:
        subject.close()
