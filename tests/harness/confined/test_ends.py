"""A trusted submission may start programs; they end with it, and with the grader."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from grader.subject.confined import roots
from grader.subject.confined.process import Workers
from grader.subject.confined.spawning import Spawner
from grader.subject.protocol import Sources
from harness import exhaustive
from harness.confined import machine
from harness.tracer import untraced

TEXT = """
import os

def start():
    return [os.getpid(), os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")]

def loop():
    while 1:
        pass
"""
GRADER = f"""
import sys, time
sys.path.insert(0, {str(roots.PACKAGE.parent)!r})
from grader.subject.confined.levels import Level
from grader.subject.confined.spawning import Spawner
from grader.subject.confined.zygote import Zygote
from grader.subject.protocol import Sources

subject = {{workers}}.open(Sources("m", {{{{"m": {TEXT!r}}}}}), memory=256, seconds=99)
started = subject.start()
{{first}}
print(started, flush=True)
subject.loop()
"""
"""A grader in the middle of a submission that never ends."""
IN_PARTS = "subject._link.process.channel.close(); time.sleep(1)"
"""A grader that is killed may lose its connections one by one."""


@pytest.mark.parametrize(
    ("workers", "first"),
    [
        pytest.param("Zygote(Level(0))", "", id="zygote"),
        exhaustive.full("Spawner()", "", id="spawner"),
        pytest.param("Spawner()", IN_PARTS, id="spawner in parts"),
    ],
)
def test_what_a_submission_started_goes_with_the_grader(workers: str, first: str) -> None:
    command = [sys.executable, "-c", GRADER.format(workers=workers, first=first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=untraced()) as grader:
        assert grader.stdout is not None
        started = json.loads(grader.stdout.readline())
        grader.kill()
    for pid in started:
        machine.wait_for_end(pid)


@pytest.mark.parametrize("kind", ["zygote", "spawner"])
def test_what_a_submission_started_goes_with_it(kind: str) -> None:
    workers: Workers = machine.workers(0) if kind == "zygote" else Spawner()
    subject = workers.open(Sources("m", {"m": TEXT}), memory=256, seconds=60)
    started = subject.start()
    subject.close()
    for pid in started:
        machine.wait_for_end(pid)
