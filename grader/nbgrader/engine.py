"""What judges submissions for nbgrader, whose preprocessors are made anew for every notebook.

The processes that judge are started once, and the results are kept beside the gradebook: work that
was judged before, by the same suites, is not judged again.
"""

from __future__ import annotations

import atexit
import functools
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from .. import course as courses
from .. import digest
from ..batch.basis import basis
from ..batch.judges import Judges
from ..batch.store import Key, Store
from ..batch.talk import Orders
from ..course import Course
from ..record import Record, SubmissionResult
from ..submission import Submission

STORE = "results.sqlite"


class Engine:
    """Judges submissions of one course, several at a time.

    Args:
        course: the course.
        store: the file or URL where results are kept.
        jobs: how many submissions at a time.
        trust: whether they may run unconfined.
    """

    def __init__(self, course: Course, store: str, jobs: int, trust: bool) -> None:
        self.course = course
        self._store = Store(store)
        self._seed = self._store.seed()
        self._orders = Orders(str(course.root), course.names, self._seed, trust)
        self._pool = ThreadPoolExecutor(jobs)
        self._judges = self._pool.submit(Judges, self._orders, jobs)
        self._running: dict[Key, Future[SubmissionResult]] = {}
        self._expected: set[Path] = set()
        self._judged: set[Key] = set()

    def expect(self, places: Iterable[Path], read: Callable[[Path], Submission]) -> None:
        """Start to judge what will be asked for; wait for nothing but the processes' start.

        Args:
            places: where submissions lie; each is read once.
            read: reads one.
        """
        for place in places:
            if place not in self._expected:
                self._expected.add(place)
                self._begin(read(place))

    def result(self, submission: Submission) -> SubmissionResult:
        """A submission's result, without a name.

        Raises:
            CourseError: the suites are broken, or this machine cannot confine submissions.
            MachineryError: what judges failed again and again.
        """
        key = self._begin(submission)
        if key in self._running:
            self._store.put(key, self._running.pop(key).result())
            self._judged.add(key)
        return self._store.get(key)

    @functools.cached_property
    def head(self) -> Record:
        """The record of this run, without submissions."""
        suites = digest.of_suites(self.course)
        return Record(self.course.name, suites, self._seed, self._judges.result().isolation)

    def close(self) -> None:
        """End the processes."""
        if self._judges.done() and not self._judges.exception():
            self._judges.result().close()
        self._pool.shutdown(cancel_futures=True)

    def _begin(self, submission: Submission) -> Key:
        judges = self._judges.result()
        key = Key(submission.digest, self._suite, self._seed)
        known = key in self._running or key in self._judged
        if not known and not self._store.has(key, judges.accelerated):
            self._running[key] = self._pool.submit(judges.judge, submission)
        return key

    @functools.cached_property
    def _suite(self) -> str:
        return basis(self.course, self.course.stages, self.head.isolation)


@functools.cache
def engine(root: Path, store: str, jobs: int, trust: bool) -> Engine:
    """The one engine of this process for a course.

    Raises:
        CourseError: the course or the store cannot be used.
    """
    made = Engine(courses.load(root), store, jobs, trust)
    atexit.register(made.close)
    return made
