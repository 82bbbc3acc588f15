"""Whether verdicts depend on luck: every known answer judged with many seeds.

python -m grader.diagnosis.stability --seeds 1000 --jobs 2
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from ..course import Course, Stage, load
from ..subject.in_process import InProcess
from ..suite.session import Suites, with_suites
from .answers import Answer, Variant
from .bank import sources
from .proof import answers, costs, with_banks


def unstable(course: Course, seed: str) -> list[str]:
    """Ids of the answers that a seed judges wrongly: mistakes that pass, variants that do not."""
    stages = with_banks(course)
    found: list[str] = []

    def work(suites: Suites) -> None:
        for stage in stages:
            found.extend(
                answer.id
                for answer in answers(course, stage)
                if _loses(course, suites, stage, answer) is isinstance(answer, Variant)
            )

    with_suites(course, stages, seed, work)
    return found


def _loses(course: Course, suites: Suites, stage: Stage, answer: Answer) -> bool:
    """Whether an answer loses points; a mistake is judged no further than its first loss."""
    subject = InProcess(sources(course, stage, answer), stage.forbidden)
    try:
        return any(costs(check) for check in suites.each(stage.name, subject))
    finally:
        subject.close()


def measure(root: Path, seeds: Sequence[str], jobs: int) -> Counter[str]:
    """For each answer, how many of the seeds judged it wrongly; empty if all verdicts agree."""
    course = load(root)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        found = pool.map(partial(unstable, course), seeds, chunksize=4)
        return Counter(id_ for ids in found for id_ in ids)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how many verdicts were given, and which were wrong."""
    parser = argparse.ArgumentParser(description="Judge every known answer with many seeds.")
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    root = Path.cwd()
    wrong = measure(root, [f"stability {n}" for n in range(given.seeds)], given.jobs)
    course = load(root)
    known = sum(len(answers(course, stage)) for stage in with_banks(course))
    print(f"{known} known answers, {given.seeds} seeds: {wrong.total()} wrong verdicts")  # noqa: T201
    for id_, count in wrong.most_common():
        print(f"  {id_}: {count}")  # noqa: T201


if __name__ == "__main__":
    main()
