"""The client's side: submissions become tasks, tasks become results; failures are told apart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from distributed import Client, KilledWorker
from distributed.client import FutureCancelledError

from ...machinery import Stopped
from ...record import Isolation, SubmissionResult
from ...submission import Submission
from ..talk import Part
from .parts import joined
from .roll import ACCELERATOR, DEATHS, Roll
from .worker import Judging, Trouble, judged

_INTERVAL = 1.0
"""Seconds between two looks at who is there."""
LOST = (
    "The connection to the scheduler is lost. What was judged is stored: see that it runs again, "
    "and give the same command to go on."
)


class _Died(Trouble):
    """A worker died that had the submission: by it, by a neighbour, or by neither."""


@dataclass(frozen=True)
class Shape:
    """How submissions are cut into tasks.

    Attributes:
        stages: names of the stages to judge, in order.
        patience: seconds to wait for a worker with an accelerator; None if no stage wants one.
    """

    stages: Sequence[str]
    patience: float | None


class Cluster:
    """Judges on the workers of a cluster. A context manager.

    Args:
        client: the connection; it stays open.
        plugin: what every worker gets, in a run of its own name.
        isolation: what all workers enforce.
        shape: how submissions are cut into tasks.
        tell: hears why a worker left.

    Attributes:
        isolation: what all workers enforce.
    """

    def __init__(
        self,
        client: Client,
        plugin: Judging,
        isolation: Isolation,
        shape: Shape,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.isolation = isolation
        self._client, self._name, self._shape, self._tell = client, plugin.name, shape, tell
        self._roll = Roll(plugin.name, shape.patience)
        self._closed = False
        self._alone = asyncio.Lock()
        client.register_plugin(plugin)
        client.sync(self._begin)  # sets the loop and the watch

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def room(self) -> int:
        """How many submissions may be under way: what is judged, and as much again on its way."""
        return 2 * max(1, self._roll.threads)

    @property
    def accelerated(self) -> bool:
        """Whether a worker with an accelerator is there, for stages that want one."""
        return self._shape.patience is not None and self._roll.accelerators

    def submit(self, submission: Submission) -> Future[SubmissionResult]:
        """Begin to judge one; only its texts travel, not whose they are.

        The future holds a `MachineryError` if it cannot be judged, or `Stopped` if nothing can.
        """
        nameless = Submission("", "", dict(submission.texts), problems=dict(submission.problems))
        return asyncio.run_coroutine_threadsafe(self._judged(nameless), self._loop)

    def close(self) -> None:
        """End the processes on all workers; may be called again."""
        if self._closed or self._client.status != "running":
            return
        self._closed = True
        self._client.sync(self._end)

    async def _end(self) -> None:
        if not self._watching.cancel():
            return  # the scheduler is gone, or no worker is left
        with suppress(OSError):
            await self._client.unregister_worker_plugin(self._name)

    async def _begin(self) -> None:
        await self._look()
        self._loop = asyncio.get_running_loop()
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        """Keep the roll; ends when the run cannot go on."""
        while self._roll.workers or not self._roll.left:
            await asyncio.sleep(_INTERVAL)
            try:
                await self._look()
            except OSError:
                raise Stopped(LOST) from None
        raise Stopped(f"No worker can judge. {self._roll.left[-1]}")

    async def _look(self) -> None:
        told = len(self._roll.left)
        await self._roll.call(self._client)
        for text in self._roll.left[told:]:
            self._tell(text)

    async def _judged(self, submission: Submission) -> SubmissionResult:
        if not self._roll.hopes():
            return await self._tried(submission, Part.WHOLE)
        plain, accelerated = await asyncio.gather(
            self._tried(submission, Part.PLAIN), self._accelerated(submission)
        )
        return joined(plain, accelerated, self._shape.stages)

    async def _accelerated(self, submission: Submission) -> SubmissionResult:
        """What wants an accelerator, judged on one; anywhere, if there is no more hope of one."""
        trying = asyncio.create_task(
            self._tried(submission, Part.ACCELERATED, resources={ACCELERATOR: 1})
        )
        while not trying.done() and self._roll.hopes():
            await asyncio.wait({trying}, timeout=_INTERVAL)
        if trying.done():
            return await trying
        trying.cancel()
        return await self._tried(submission, Part.ACCELERATED)

    async def _tried(self, submission: Submission, part: Part, **wanted: Any) -> SubmissionResult:
        """Try until it is judged, or has failed as often as it may.

        Args:
            submission: the submission.
            part: what of it.
            wanted: what Dask is to know of the worker that it needs, such as `resources`.
        """
        tried: list[Trouble] = []
        while True:
            try:
                # Of those whose worker died one is tried at a time, so that none is blamed for
                # what another did.
                died = any(isinstance(trouble, _Died) for trouble in tried)
                async with self._alone if died else nullcontext():
                    return await self._once(submission, part, tried, **wanted)
            except Trouble as trouble:
                tried.append(trouble)
                if sum(trouble.blames for trouble in tried) >= DEATHS:
                    raise

    async def _once(
        self, submission: Submission, part: Part, tried: Sequence[Trouble], **wanted: Any
    ) -> SubmissionResult:
        elsewhere = self._roll.others({trouble.worker for trouble in tried}) if not wanted else None
        future = self._client.submit(
            judged,
            self._name,
            submission,
            part,
            key="-".join(("judged", part, *wanted, str(len(tried)), submission.digest, self._name)),
            workers=elsewhere,
            **wanted,
        )
        try:
            return await self._unless_gone(future, elsewhere)
        except KilledWorker as killed:
            address = killed.last_worker.address
            raise _Died("the worker that judged it died", address, blames=True) from None
        except FutureCancelledError:
            raise Stopped(LOST) from None
        finally:
            future.release()

    async def _unless_gone(self, future: Any, places: Sequence[str] | None) -> SubmissionResult:
        """A task's result, or the reason why none will come.

        Args:
            future: Dask's.
            places: the only workers that the task may run on; Dask would wait for them for ever.
        """
        result = asyncio.ensure_future(_result(future))
        try:
            while not result.done():
                await asyncio.wait(
                    {result, self._watching},
                    timeout=_INTERVAL if places else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if self._watching.done() and not result.done():
                    await self._watching
                if places and not result.done() and not self._roll.workers.keys() & set(places):
                    raise Trouble("the workers that were left are gone", places[0], blames=False)
            return result.result()
        finally:
            result.cancel()


async def _result(future: Any) -> SubmissionResult:
    found: SubmissionResult = await future
    return found
