"""A course of 100,000, simulated: real client, scheduler, workers and store; judging is waited for.

Some real submissions are judged first; the CPU seconds that each took are what the simulated ones
wait, and one of their results is what they come to. What is printed is what each process spends on
a submission, and how fast the whole is. Smaller: SUBMISSIONS=5000 nox -s bench -- scale.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from distributed import Client

from bench import cpu, paired
from grader import course as courses
from grader.batch.cluster.address import connected
from grader.batch.cluster.judges import Cluster, Shape
from grader.batch.cluster.roll import PREFIX
from grader.batch.cluster.worker import Judging
from grader.batch.judges import Judges, JudgingProcess
from grader.batch.local import Run
from grader.batch.store import Store
from grader.batch.talk import Orders, Part
from grader.intake import Candidate
from grader.record import Isolation, SubmissionResult
from grader.submission import Submission
from harness import generated

ROOT = Path(__file__).parents[2]
COURSE = courses.load(ROOT)
COUNT = int(os.environ.get("SUBMISSIONS", "100000"))
SAMPLE = 12
BEFORE = 48
"""Submissions that the process has judged before, as in a class of hundreds."""
WORKERS, THREADS = 4, 64
"""So many submissions are judged at a time, as on so many processors."""


@dataclass(frozen=True)
class Simulated:
    """A submission of a usual size that differs from all others by a remark."""

    id: str
    texts: dict[str, str]
    path: str = ""

    def read(self, _: Sequence[str]) -> tuple[Submission, tuple[str, ...]]:
        """As a candidate is read."""
        first, text = next(iter(self.texts.items()))
        return Submission(self.id, "", self.texts | {first: f"{text}# {self.id}\n"}), ()


class Waits:
    """Judges that take their time and nothing else."""

    def __init__(self, seconds: Sequence[float], result: SubmissionResult) -> None:
        self._seconds, self._result = seconds, result

    def judge_once(self, submission: Submission, _: Part) -> SubmissionResult:
        """Wait as long as one of the sample took."""
        dice = random.Random(submission.digest)  # noqa: S311 - not for secrets
        time.sleep(dice.choice(self._seconds))
        return replace(self._result, digest=submission.digest)

    def close(self) -> None:
        """Nothing to end."""


class Waiting(Judging):
    """The plugin, but that its judges only wait."""

    def __init__(self, name: str, seconds: Sequence[float], result: SubmissionResult) -> None:
        super().__init__(Orders("", (), ""), "", name)
        self._seconds, self._result = seconds, result

    def started(self, _: int) -> Judges:
        """Judges that wait."""
        return cast("Judges", Waits(self._seconds, self._result))


def main() -> None:
    """Print what a submission costs whom."""
    seconds, result, texts = sampled()
    print(
        f"judging takes {paired.spread(seconds)} CPU s, {statistics.mean(seconds):.2f} on average"
    )
    with tempfile.TemporaryDirectory() as folder, processes(Path(folder)) as (client, pids):
        plugin = Waiting(f"{PREFIX}{client.id}", seconds, result)
        cluster = Cluster(client, plugin, Isolation(0, (), ()), Shape(COURSE.names, None))
        candidates = [Simulated(f"s{number:06}", texts) for number in range(COUNT)]
        before = spent(pids)
        start = time.perf_counter()
        with cluster, Store(str(Path(folder) / "store.sqlite")) as store:
            memory: list[float] = []
            run = Run(store, cluster, COURSE.names, "suite", "seed", tell=watching(memory))
            run.over(cast("list[Candidate]", candidates))
            took = time.perf_counter() - start
            for who, value in spent(pids).items():
                print(f"{who}: {(value - before[who]) / COUNT * 1000:.2f} CPU ms a submission")
            print(f"{COUNT} in {took:.0f} s, {COUNT / took:.0f} a second; {len(run.failed)} failed")
            print_traffic(client)
            print("client's memory after each tenth, MiB:", *(f"{value:.0f}" for value in memory))
            size = sum(file.stat().st_size for file in Path(folder).glob("store.sqlite*"))
            print(f"store: {size / COUNT:.0f} bytes a submission")


def sampled() -> tuple[list[float], SubmissionResult, dict[str, str]]:
    """CPU seconds of real submissions, the result of one, and its texts."""
    class_ = generated.of_course(COURSE)
    kinds = ((generated.right, 1), (generated.wrong, 1))
    orders = Orders(str(ROOT), COURSE.names, "a seed of the bench")
    with closing(JudgingProcess(orders)) as process:
        for _, texts in generated.submissions(class_, BEFORE, 2, kinds):
            result = process.judge(Submission("", "", texts))
        works = [texts for _, texts in generated.submissions(class_, SAMPLE, 1, kinds)]
        return [judging(process, texts) for texts in works], result, works[0]


def judging(process: JudgingProcess, texts: dict[str, str]) -> float:
    """CPU seconds that one submission takes, in all processes."""
    before = cpu.of_tree(process.pid)
    process.judge(Submission("", "", texts))
    return cpu.of_tree(process.pid) - before


@contextmanager
def processes(folder: Path) -> Iterator[tuple[Client, dict[str, list[int]]]]:
    """A scheduler and workers, each a process, and a client of them here."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard")
    size = ("--nworkers", str(WORKERS), "--nthreads", str(THREADS), "--memory-limit", "0")
    with ExitStack() as stack:
        scheduler = started(stack, "scheduler", *common, "--port", "0")
        worker = started(stack, "worker", *common, *size, "--local-directory", str(folder))
        while not (file.exists() and '"address"' in file.read_text()):
            time.sleep(0.05)
        address = file.read_text().split('"address": "')[1].split('"')[0]
        client = connected(address, stack)
        client.wait_for_workers(WORKERS)
        yield (
            client,
            {
                "client": [os.getpid()],
                "scheduler": [scheduler.pid],
                "workers": [*cpu.tree(worker.pid)],
            },
        )


def started(stack: ExitStack, name: str, *options: str) -> "subprocess.Popen[bytes]":
    """One of the cluster's commands; ended with the stack."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *options]
    env = {**os.environ, "PYTHONPATH": path}
    program = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    stack.callback(program.wait)
    stack.callback(program.terminate)
    return program


def spent(pids: dict[str, list[int]]) -> dict[str, float]:
    """CPU seconds so far."""
    return {who: sum(map(cpu.own, each)) for who, each in pids.items()}


def watching(memory: list[float]) -> Any:
    """Hears of results, and notes the client's memory after each tenth of them."""
    heard = iter(range(1, COUNT + 1))

    def tell(*_: object) -> None:
        if next(heard) % max(1, COUNT // 10) == 0:
            memory.append(cpu.private_mib(os.getpid()))

    return tell


def print_traffic(client: Client) -> None:
    """Messages and bytes over the connections that tasks travel by."""
    ways = {
        "client to scheduler": [counts(client.scheduler_comm)],
        "scheduler to client and workers": client.run_on_scheduler(sent_by_scheduler),
        "workers to scheduler": list(client.run(sent_by_worker).values()),
    }
    for way, found in ways.items():
        messages, size = (sum(values) / COUNT for values in zip(*found, strict=True))
        print(f"{way}: {messages:.2f} messages, {size:.0f} bytes a submission")


def counts(stream: Any) -> tuple[int, int]:
    """Messages and bytes that went over a stream."""
    return stream.message_count, stream.byte_count


def sent_by_scheduler(dask_scheduler: Any) -> list[tuple[int, int]]:
    """Run on the scheduler: what went to each worker and client."""
    streams = [*dask_scheduler.stream_comms.values(), *dask_scheduler.client_comms.values()]
    return [counts(stream) for stream in streams]


def sent_by_worker(dask_worker: Any) -> tuple[int, int]:
    """Run on a worker: what went to the scheduler."""
    return counts(dask_worker.batched_stream)
