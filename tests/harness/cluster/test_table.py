"""The same table, row for row, from the embedded run and from clusters with something killed."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sql

from grader import record
from grader.batch.cluster.roll import DEATHS
from grader.batch.store import Store
from grader.intake import find
from grader.record import SubmissionResult
from harness.batch import databases, toy
from harness.cli import ROOT, grader
from harness.cluster.stand_in import STAGES, result
from harness.tracer import untraced

SEED = 9
COUNT = 40
PATH = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
ENV = {**untraced(), "PYTHONPATH": PATH, "PYTHONUNBUFFERED": "1"}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the cluster's run keeps its results."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'there.sqlite'}"
        return
    with databases.emptied() as emptied:
        yield emptied


@pytest.mark.exhaustive  # each on its own is in other tests
def test_a_cluster_and_this_machine_come_to_the_same_rows(tmp_path: Path, url: str) -> None:
    toy.course(tmp_path)
    quick = ("right", "wrong", "leaves", "half done")
    toy.hand_in(tmp_path / "class", {name: toy.ANSWERS[name] for name in quick})
    here = graded(tmp_path, "here", "--jobs", "1")
    own = f"sqlite:///{tmp_path / 'here/results.sqlite'}"
    with Store(own) as before:
        begin(url, before.seed())
    assert len(here) == len(quick)
    assert graded(tmp_path, "there", "--scheduler", "local:2", "--store", url) == here
    assert not (tmp_path / "there/results.sqlite").exists()
    assert len(rows(url)) == len(quick)
    assert rows(url) == rows(own)


def begin(url: str, seed: str) -> None:
    """Make a store whose first epoch has a seed that was drawn elsewhere."""
    with Store(url):
        pass  # it has its tables
    with connected(url) as connection:
        epoch = {"number": 1, "seed": seed}
        connection.execute(sql.text("INSERT INTO epochs VALUES (:number, :seed)"), epoch)


def rows(url: str) -> list[tuple[object, ...]]:
    """A store's table, without the seconds that a submission took."""
    with connected(url) as connection:
        found = connection.execute(sql.text("SELECT * FROM results")).all()
    return sorted((*key, json.dumps(json.loads(text) | {"seconds": 0})) for *key, text in found)


@contextmanager
def connected(url: str) -> Iterator[sql.Connection]:
    engine = sql.create_engine(url)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def graded(folder: Path, out: str, *options: str) -> list[SubmissionResult]:
    done = grader("grade", "class", "--out", out, *options, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judged before" not in done.stdout
    read = record.read(folder / out / "record.json")
    return [replace(found, seconds=0) for found in read.submissions]


class Processes:
    """A scheduler and two workers with their nannies, as a cluster's own commands start them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.start()

    def start(self) -> None:
        """Start all of them."""
        file = self._folder / "scheduler.json"
        file.unlink(missing_ok=True)
        options = ("--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")
        self.scheduler = self._program("scheduler", "--scheduler-file", str(file), *options)
        self.nannies = [self._worker(), self._worker()]
        while not (file.exists() and '"address"' in file.read_text()):
            time.sleep(0.02)
        self.address = file.read_text().split('"address": "')[1].split('"')[0]

    def kill(self, victim: str, dice: random.Random) -> None:
        """Kill one, and see that what nobody else replaces is replaced."""
        nanny = dice.choice(self.nannies)
        if victim == "worker":
            for child in psutil.Process(nanny.pid).children():
                with suppress(psutil.NoSuchProcess):  # it ends by itself just now
                    if "spawn_main" in " ".join(child.cmdline()):
                        child.kill()
        elif victim == "nanny":
            nanny.kill()
            nanny.wait()
            self.nannies.remove(nanny)
            self.nannies.append(self._worker())
        else:
            self.end()
            self.start()

    def end(self) -> None:
        """Kill all of them."""
        for program in (self.scheduler, *self.nannies):
            with suppress(psutil.NoSuchProcess):
                for child in psutil.Process(program.pid).children(recursive=True):
                    with suppress(psutil.NoSuchProcess):
                        child.kill()
            program.kill()
            program.wait()

    def _worker(self) -> subprocess.Popen[bytes]:
        file = str(self._folder / "scheduler.json")
        options = ("--host", "127.0.0.1", "--nthreads", "1", "--memory-limit", "0")
        place = ("--no-dashboard", "--local-directory", str(self._folder))
        return self._program("worker", "--scheduler-file", file, *options, *place)

    def _program(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *options]
        return subprocess.Popen(command, env=ENV, stderr=subprocess.DEVNULL)


@contextmanager
def running(folder: Path) -> Iterator[Processes]:
    folder.mkdir()
    cluster = Processes(folder)
    try:
        yield cluster
    finally:
        cluster.end()


def client(cluster: Processes, *args: Path) -> subprocess.Popen[str]:
    program = str(Path(__file__).with_name("long_run.py"))
    command = [sys.executable, program, cluster.address, *map(str, args)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=ENV)


def lines(journal: Path) -> list[str]:
    return journal.read_text().splitlines() if journal.exists() else []


def expected(class_: Path) -> str:
    rows = []
    with ExitStack() as stack:
        for candidate in find([class_], STAGES, stack):
            submission, _ = candidate.read(STAGES)
            found = result(submission)
            rows.append(f"{candidate.id} {found.digest} {found.max_points} {found.chain.message}")
    return "\n".join(" ".join(row.split()) for row in rows)


@pytest.mark.exhaustive  # a worker that dies is in the next test, too
def test_whoever_is_killed_the_table_is_the_same(tmp_path: Path) -> None:
    dice = random.Random(SEED)  # noqa: S311 - not for secrets
    answers = {f"s{n:03}": toy.RIGHT | {"half": f"half = {'x' * n}\n"} for n in range(COUNT)}
    class_ = toy.hand_in(tmp_path / "class", answers)
    journal, store = tmp_path / "journal.txt", tmp_path / "store.sqlite"
    victims = ["worker", "nanny", "client", "scheduler", "worker"]
    dice.shuffle(victims)
    marks = sorted(dice.sample(range(2, COUNT - 10), len(victims)))
    with running(tmp_path / "dask") as cluster:
        program = client(cluster, class_, store, journal)
        for victim, mark in zip(victims, marks, strict=True):
            while len({line.split()[0] for line in lines(journal)}) < mark:
                if program.poll() is not None:
                    assert program.returncode == 4, program.communicate()
                    program.communicate()
                    program = client(cluster, class_, store, journal)
                time.sleep(0.005)
            if victim == "client":
                program.send_signal(signal.SIGKILL)
                program.communicate()
                program = client(cluster, class_, store, journal)
            else:
                cluster.kill(victim, dice)
        table, complaints = program.communicate()
        while program.returncode == 4:
            program = client(cluster, class_, store, journal)
            table, complaints = program.communicate()
    assert program.returncode == 0, complaints
    assert [" ".join(row.split()) for row in table.splitlines()] == expected(class_).splitlines()
    with closing(sqlite3.connect(store)) as rows:
        assert rows.execute("SELECT count(*) FROM results").fetchone() == (COUNT,)
    assert len(lines(journal)) > COUNT, f"nothing was interrupted; seed {SEED}"


def test_a_submission_that_ends_its_workers_ends_two_of_them(tmp_path: Path) -> None:
    answers = {f"s{n}": toy.RIGHT | {"half": f"half = {n}\n"} for n in range(6)}
    answers["killer"] = toy.RIGHT | {"half": "half = 'ends its worker'\n"}
    class_ = toy.hand_in(tmp_path / "class", answers)
    journal = tmp_path / "journal.txt"
    with running(tmp_path / "dask") as cluster:
        program = client(cluster, class_, tmp_path / "store.sqlite", journal)
        table, complaints = program.communicate(timeout=100)
    assert program.returncode == 4
    assert "killer the worker that judged it died" in complaints
    begun = Counter(line.split()[0] for line in lines(journal))
    [(_, most)] = begun.most_common(1)
    assert most == DEATHS
    assert {row.split()[0] for row in table.splitlines()} == answers.keys() - {"killer"}
