"""A zygote serves several threads, leaves nothing behind, and its death is nobody's mark."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from grader.subject.confined import roots
from grader.subject.confined.levels import Level
from grader.subject.confined.process import MachineryError
from grader.subject.confined.zygote import Zygote
from grader.subject.protocol import Sources
from harness import exhaustive
from harness.cli import python
from harness.confined import machine

TEXT = """
import os
import random
import torch
from torch import nn
def double(x): return x * 2
def slow():
    import time
    time.sleep(60)
def sees(): return sorted(os.environ), [fd for fd in range(64) if is_open(fd)]
def is_open(fd):
    try: return bool(os.fstat(fd))
    except OSError: return False
def threads(): torch.ones(300, 300) @ torch.ones(300, 300); return torch.get_num_threads()
def drawn(): return torch.rand(3), random.random(), nn.Linear(2, 2).weight.detach().clone()
"""
SOURCES = Sources("answer", {"answer": TEXT})
STARTED = pytest.mark.parametrize("level", [3, exhaustive.full(0), exhaustive.full(1)])
"""Levels at which a zygote is started for the test alone, which takes seconds."""


def test_several_threads_may_use_one_zygote() -> None:
    zygote = machine.workers(1)

    def work(number: int) -> bool:
        subject = zygote.open(SOURCES, memory=256, seconds=60)
        try:
            x = torch.full((3,), float(number))
            return all(torch.equal(subject.double(x), 2 * x) for _ in range(20))
        finally:
            subject.close()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(24)))


def test_a_worker_holds_no_environment_and_three_streams_and_one_socket() -> None:
    with machine.submission(TEXT) as subject:
        environment, open_files = subject.sees()
        assert environment == []
        assert len(open_files) == 4
        assert subject.threads() == 1


@pytest.mark.parametrize("level", [1, exhaustive.full(2), 3])
def test_the_kernel_agrees_that_a_worker_is_powerless(level: int) -> None:
    zygote = shared(level)
    others = set(children(zygote.pid))
    subject = zygote.open(SOURCES, memory=256, seconds=60)
    [worker] = {*children(zygote.pid)} - others
    lines = Path(f"/proc/{worker}/status").read_text(encoding="ascii").splitlines()
    status = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    subject.close()
    held = {key: int(status[key], 16) for key in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")}
    assert not any(held.values())
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")


def test_random_numbers_do_not_depend_on_the_worker() -> None:
    def drawn() -> list[float]:
        with machine.submission(TEXT) as subject:
            numbers, number, weight = subject.drawn()
            return [*numbers.tolist(), number, *weight.flatten().tolist()]

    assert drawn() == drawn()


@STARTED
def test_a_dead_zygote_is_no_verdict_and_the_next_one_works(level: int) -> None:
    zygote = shared(level)
    subject = zygote.open(SOURCES, memory=256, seconds=60)
    os.kill(zygote.pid, signal.SIGKILL)
    with pytest.raises(MachineryError):
        subject.slow()
    machine.wait_for_end(zygote.pid)
    fresh = zygote.open(SOURCES, memory=256, seconds=60)
    assert torch.equal(fresh.double(torch.ones(2)), torch.full((2,), 2.0))
    fresh.close()


GRADER = """
import signal, sys
sys.path.insert(0, sys.argv[1])
from grader.subject.confined.zygote import Zygote
from grader.subject.confined.levels import Level
from grader.subject.protocol import Sources
zygote = Zygote(Level(int(sys.argv[2])))
subject = zygote.open(Sources("m", {"m": "def f():\\n while 1: pass"}), memory=256, seconds=99)
print(zygote.pid, flush=True)
with open(f"/proc/{zygote.pid}/task/{zygote.pid}/children") as workers:
    print(workers.read(), flush=True)
signal.setitimer(signal.ITIMER_REAL, 0.3)
subject.f()
"""
"""A grader that is killed by an alarm, as by any signal that it does not handle."""


@STARTED
def test_nothing_is_left_when_the_grader_is_killed(level: int) -> None:
    machine.workers(level)  # or skip
    done = python(GRADER, roots.PACKAGE.parent, str(level))
    assert done.returncode == -signal.SIGALRM, done.stderr
    zygote, *workers = map(int, done.stdout.split())
    assert workers
    for pid in (zygote, *workers):
        machine.wait_for_end(pid)


@pytest.mark.exhaustive  # nothing is left when the grader ends, and that is harder
def test_a_closed_zygote_leaves_no_process() -> None:
    machine.workers(1)  # or skip
    with Zygote(Level(1)) as zygote:
        subject = zygote.open(SOURCES, memory=256, seconds=60)
        family = [zygote.pid, *children(zygote.pid)]
        assert len(family) == 2
    for pid in family:
        machine.wait_for_end(pid)
    with pytest.raises(MachineryError):
        subject.close()


def test_a_closed_subject_leaves_no_process() -> None:
    zygote = shared(1)
    others = set(children(zygote.pid))
    for _ in range(3):
        zygote.open(SOURCES, memory=256, seconds=60).close()
    assert set(children(zygote.pid)) == others


def shared(level: int) -> Zygote:
    """The zygote that other tests use as well."""
    found = machine.workers(level)
    assert isinstance(found, Zygote)
    return found


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(number) for number in text.split()]
