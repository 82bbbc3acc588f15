"""A run on a cluster, to be killed: `python long_run.py ADDRESS CLASS STORE JOURNAL`.

Exits with 0 when every submission has its result, with 4 when the run must be given again.
"""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack
from pathlib import Path

from grader.batch.cluster.address import connected
from grader.batch.cluster.judges import Cluster, Shape
from grader.batch.local import Run
from grader.batch.store import Store
from grader.course import CourseError
from grader.intake import find
from grader.machinery import Stopped
from harness.cluster.stand_in import ISOLATION, STAGES, StandIn, name


def main(address: str, class_: str, store_file: str, journal: str) -> int:
    """Judge a class, and print its table."""
    with ExitStack() as stack:
        client = connected(address, stack)
        client.wait_for_workers(1)
        plugin = StandIn(name(client), Path(journal))
        cluster = stack.enter_context(Cluster(client, plugin, ISOLATION, Shape(STAGES, None)))
        store = stack.enter_context(Store(store_file))
        run = Run(store, cluster, STAGES, "suite", "seed")
        run.over(find([Path(class_)], STAGES, stack))
        for id_, trouble in run.failed.items():
            logging.error("%s %s", id_, trouble)
        for result in run.results():
            print(result.id, result.digest, result.max_points, result.chain.message.strip())  # noqa: T201
        return 4 if run.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Stopped, CourseError, OSError) as reason:
        logging.error(reason)
        sys.exit(4)
