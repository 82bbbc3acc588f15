"""On a worker: processes that judge, one a thread, and the tasks that ask them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from distributed import Worker, WorkerPlugin, get_worker

from ... import course as courses
from ...course import CourseError
from ...machinery import MachineryError
from ...record import Isolation, SubmissionResult
from ...submission import Submission
from ..basis import basis
from ..judges import Judges, JudgingProcess, NotStarted
from ..talk import Orders, Part


class Trouble(MachineryError):
    """Judging failed on a worker, for no reason that is a verdict.

    Attributes:
        worker: the worker's address.
        blames: whether the submission may be to blame; not if the worker was not ready for it.
    """

    def __init__(self, text: str, worker: str, blames: bool) -> None:
        super().__init__(text, worker, blames)
        self.text, self.worker, self.blames = text, worker, blames

    def __str__(self) -> str:
        return f"{self.text} (worker {self.worker})"


class Judging(WorkerPlugin):
    """Starts a worker's processes and keeps them. A worker that cannot judge leaves the cluster.

    Args:
        orders: what to judge by, with the level of confinement that all workers use.
        suite: the basis that every worker's results must rest on; see `basis`.
        name: of this run, so that two runs on one cluster do not judge by each other's orders.
    """

    def __init__(self, orders: Orders, suite: str, name: str) -> None:
        self._orders, self._suite, self.name = orders, suite, name
        self._judges: Judges | None = None

    async def setup(self, worker: Worker) -> None:
        """Start the processes, beside the worker's own business."""
        try:
            self._judges = await asyncio.to_thread(self.started, worker.state.nthreads)
        except (CourseError, MachineryError) as error:
            self._leave(worker, str(error))

    async def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - the plugin's protocol
        """End the processes."""
        if self._judges is not None:
            await asyncio.to_thread(self._judges.close)

    def judge(self, submission: Submission, part: Part, worker: Worker) -> SubmissionResult:
        """A submission's result.

        Raises:
            Trouble: it failed; the next submission gets a fresh process.
        """
        try:
            if self._judges is None:
                raise NotStarted("the worker is not ready")
            return self._judges.judge_once(submission, part)
        except NotStarted as error:
            self._leave(worker, str(error))
            raise Trouble(str(error), worker.address, blames=False) from None
        except MachineryError as error:
            raise Trouble(str(error), worker.address, blames=True) from None

    def started(self, jobs: int) -> Judges:
        """So many processes, ready to judge.

        Raises:
            CourseError: this machine has another course, or cannot confine submissions so well.
            MachineryError: they did not start.
        """
        orders = _here(self._orders)
        course = courses.load(Path(orders.root))
        judges = Judges(orders, jobs)
        if basis(course, [course.stage(s) for s in orders.stages], judges.isolation) == self._suite:
            return judges
        judges.close()
        raise CourseError(
            f"The course in {course.root} is not the one that is judged: suites, solutions, known "
            "mistakes and course.toml must be the same on all machines."
        )

    def _leave(self, worker: Worker, why: str) -> None:
        """Leave the cluster for good: a worker that fails at once would draw all the work."""
        worker.log_event(self.name, f"Worker {worker.address} leaves: {why}")
        worker.loop.add_callback(worker.close, nanny=True, reason=why)


def judged(name: str, submission: Submission, part: Part) -> SubmissionResult:
    """The task: one submission's result, or a part of it, by the orders of the run of that name.

    Raises:
        Trouble: it failed on this worker, and may be tried on another.
    """
    worker = get_worker()
    plugin = worker.plugins[name]
    if not isinstance(plugin, Judging):
        raise TypeError(f"{name} is no plugin of the grader's")
    return plugin.judge(submission, part, worker)


def isolation_here(orders: Orders) -> Isolation:
    """What a worker's machine can enforce at most.

    Raises:
        CourseError: the suites are broken, or submissions cannot be confined there.
        MachineryError: nothing could be started there.
    """
    process = JudgingProcess(_here(orders))
    process.close()
    return process.isolation


def _here(orders: Orders) -> Orders:
    """Orders for the course as this machine has it: at the same path, or where it was started."""
    shared = Path(orders.root, "course.toml").is_file()
    return orders if shared else replace(orders, root=str(Path.cwd()))
