"""What fails on a cluster is tried elsewhere; what fails twice is said, and costs nobody else."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.machinery import MachineryError, Stopped
from grader.submission import Submission

if TYPE_CHECKING:
    from distributed import Client

    from harness.cluster.stand_in import Cluster

Start = Callable[..., "Client"]
CPU: dict[str, float] = {}
GPU = {"GPU": 1.0}


def submission(text: str) -> Submission:
    return Submission("alice", "/class/alice", {"double": "", "half": text})


def noted(journal: Path) -> list[tuple[str, ...]]:
    """Digest, worker and part of everything that was begun."""
    return [tuple(line.split()) for line in journal.read_text().splitlines()]


def cluster(
    client: Client,
    journal: Path,
    patience: float | None = None,
    broken: tuple[str, ...] = (),
    told: list[str] | None = None,
) -> Cluster:
    from harness.cluster import stand_in

    plugin = stand_in.StandIn(stand_in.name(client), journal, broken)
    shape = stand_in.Shape(stand_in.STAGES, patience)
    heard = [] if told is None else told
    return stand_in.Cluster(client, plugin, stand_in.ISOLATION, shape, heard.append)


@pytest.mark.parametrize(
    ("workers", "patience", "there"),
    [({"a": CPU}, 60, False), ({"a": CPU, "b": GPU}, 60, True), ({"b": GPU}, None, False)],
)
def test_it_knows_whether_what_wants_an_accelerator_has_one(
    start: Start,
    journal: Path,
    workers: dict[str, dict[str, float]],
    patience: float | None,
    there: bool,
) -> None:
    with cluster(start(**workers), journal, patience) as judges:
        assert judges.accelerated is there


def test_results_come_back_without_names(start: Start, journal: Path) -> None:
    from harness.cluster.stand_in import result

    with cluster(start(a=CPU, b=CPU), journal) as judges:
        assert judges.room == 4
        work = [submission(f"half = {n}") for n in range(8)]
        futures = [judges.submit(one) for one in work]
        assert [future.result() for future in futures] == [result(one) for one in work]
    assert {worker for _, worker, _ in noted(journal)} == {"a", "b"}


def test_what_fails_is_tried_on_another_worker_even_if_that_is_busy(
    start: Start, journal: Path
) -> None:
    from harness.cluster.stand_in import result

    with cluster(start(a=CPU, b=CPU), journal) as judges:
        slow = judges.submit(submission("waits for another"))
        while not journal.exists() or not noted(journal):
            time.sleep(0.01)
        [(_, busy, _)] = noted(journal)
        idle = {"a": "b", "b": "a"}[busy]
        work = submission(f"fails on {idle}")
        assert judges.submit(work).result() == result(work)
        assert slow.result().stages
    assert [worker for _, worker, _ in noted(journal)] == [busy, idle, busy]


def test_what_fails_twice_is_not_tried_again(start: Start, journal: Path) -> None:
    with cluster(start(a=CPU, b=CPU, c=CPU), journal) as judges:
        failing = judges.submit(submission("always fails"))
        others = [judges.submit(submission(f"half = {n}")) for n in range(4)]
        with pytest.raises(MachineryError, match=r"no room \(worker inproc://"):
            failing.result()
        assert all(future.result().stages for future in others)
    digest = submission("always fails").digest
    workers = [worker for found, worker, _ in noted(journal) if found == digest]
    assert len(workers) == len(set(workers)) == 2


def test_a_worker_that_cannot_judge_leaves_and_says_why(start: Start, journal: Path) -> None:
    told: list[str] = []
    with cluster(start(a=CPU, b=CPU), journal, broken=("a",), told=told) as judges:
        futures = [judges.submit(submission(f"half = {n}")) for n in range(4)]
        assert all(future.result().stages for future in futures)
    assert {worker for _, worker, _ in noted(journal)} == {"b"}
    assert len(told) == 1
    assert "leaves: its disk is full" in told[0]


def test_a_run_without_workers_that_can_judge_ends(start: Start, journal: Path) -> None:
    with (
        cluster(start(a=CPU), journal, broken=("a",)) as judges,
        pytest.raises(Stopped, match=r"No worker can judge.*its disk is full"),
    ):
        judges.submit(submission("half")).result(timeout=60)


def test_a_run_that_loses_its_scheduler_ends(start: Start, journal: Path) -> None:
    client = start(a=CPU)
    with cluster(client, journal, patience=60) as judges:
        waiting = judges.submit(submission("half"))
        client.sync(_cut, client)
        with pytest.raises(Stopped, match="connection to the scheduler is lost"):
            waiting.result(timeout=60)


async def _cut(client: Client) -> None:
    assert client.scheduler_comm is not None
    client.scheduler_comm.comm.abort()


def test_stages_for_an_accelerator_go_where_one_is(start: Start, journal: Path) -> None:
    from harness.cluster.stand_in import result

    with cluster(start(a=CPU, b=GPU), journal, patience=60) as judges:
        work = [submission(f"half = {n}") for n in range(4)]
        futures = [judges.submit(one) for one in work]
        assert [future.result() for future in futures] == [result(one) for one in work]
    assert {worker for _, worker, part in noted(journal) if part == "accelerated"} == {"b"}
    assert len(noted(journal)) == 8


def test_without_an_accelerator_they_are_judged_anywhere_in_the_end(
    start: Start, journal: Path
) -> None:
    from harness.cluster.stand_in import result

    with cluster(start(a=CPU), journal, patience=0.5) as judges:
        work = submission("half = 1")
        assert judges.submit(work).result(timeout=60) == result(work)
        late = submission("half = 2")
        assert judges.submit(late).result(timeout=60) == result(late)
    parts = [part for _, _, part in noted(journal)]
    assert sorted(parts) == ["accelerated", "plain", "whole"], "nobody waits a second time"


def test_processes_of_a_run_that_was_killed_are_ended_by_the_next(
    start: Start, journal: Path
) -> None:
    from grader.batch.cluster.opening import tidy
    from grader.batch.cluster.roll import PREFIX
    from harness.cluster.stand_in import StandIn

    client = start(a=CPU)
    client.register_plugin(StandIn(f"{PREFIX}a client that is gone", journal))
    with cluster(client, journal) as judges:
        tidy(client)
        assert client.run(_plugins) == {
            address: [f"{PREFIX}{client.id}"] for address in client.nthreads()
        }
        assert judges.submit(submission("half")).result()


def _plugins(dask_worker: object) -> list[str]:
    from grader.batch.cluster.roll import PREFIX

    return [name for name in getattr(dask_worker, "plugins", {}) if name.startswith(PREFIX)]


def test_a_call_that_is_given_up_leaves_nothing_behind(start: Start, journal: Path) -> None:
    client = start(a=CPU)
    judges = cluster(client, journal, patience=60)
    future = judges.submit(submission("half"))
    judges.close()
    judges.close()
    client.close()
    with pytest.raises((Stopped, CancelledError)):
        future.result(timeout=60)
