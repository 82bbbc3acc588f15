"""The strongest level is found by trying, said in the record, and never taken on trust."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from grader.subject import SubmissionError, SubmissionTimeout
from grader.subject.confined import bubblewrap, canaries, ladder, landlock, roots, seccomp
from grader.subject.confined.levels import CONTROLS, LEVELS, Level
from grader.subject.confined.process import Workers
from grader.subject.confined.spawning import Spawner
from grader.subject.protocol import Sources
from harness import exhaustive
from harness.cli import python
from harness.confined import machine

DOUBLE = Sources(
    "answer", {"answer": "def answer(x): return x * 2\ndef sleep():\n    while 1: pass"}
)


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ladder tries its levels on zygotes that are there."""
    for level in {0, 1, machine.strongest()}:
        machine.workers(level)  # or skip
    monkeypatch.setattr(ladder, "Zygote", machine.Lent)


def works(workers: Workers) -> bool:
    subject = workers.open(DOUBLE, memory=256, seconds=60)
    try:
        return torch.equal(subject.answer(torch.ones(2)), torch.full((2,), 2.0))
    finally:
        subject.close()


@pytest.mark.parametrize("level", [1, exhaustive.full(2), 3])
def test_a_level_stops_its_canaries(level: int) -> None:
    assert canaries.escaped(machine.workers(level), level) == []


@pytest.mark.parametrize("level", [0, 1, exhaustive.full(2)])
def test_the_canaries_of_the_next_level_escape(level: int) -> None:
    above = {canary.meaning for canary in canaries.CANARIES if canary.since == level + 1}
    root_only = {"a worker held capabilities"}
    assert above - root_only <= set(canaries.escaped(machine.workers(level), level + 1))


def test_a_level_whose_canaries_escape_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    machine.workers(1)  # or skip
    monkeypatch.setattr(seccomp, "ALLOWED", seccomp.ALLOWED + " socket")
    seccomp.compiled.cache_clear()
    try:
        with pytest.raises(ladder.Unconfined, match="could make a socket"):
            ladder.start(levels=[Level(1)])
    finally:
        seccomp.compiled.cache_clear()


@pytest.mark.usefixtures("lent")
def test_without_bubblewrap_the_level_below_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bubblewrap.installed() is None
    with ladder.start() as workers:
        assert workers.isolation.level == 1
        assert any("file tree" in text for text in workers.isolation.not_enforced)
        assert works(workers)


def test_a_bubblewrap_that_fails_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine.workers(1)  # or skip
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'Creating new namespace failed' >&2; exit 1")
    broken.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "installed", lambda: str(broken))
    with pytest.raises(ladder.Unconfined, match="Creating new namespace failed"):
        ladder.start(levels=LEVELS[:2])


@pytest.mark.usefixtures("lent")
def test_below_level_1_nothing_is_run_unless_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    with pytest.raises(ladder.Unconfined) as refused:
        ladder.start()
    assert "the kernel has no Landlock" in str(refused.value)
    assert "--trust-submissions" in str(refused.value)
    with ladder.start(trust=True) as workers:
        assert workers.isolation.level == 0
        assert len(workers.isolation.not_enforced) >= 4
        assert works(workers)


@pytest.mark.usefixtures("lent")
def test_trust_does_not_weaken_what_can_be_had() -> None:
    with ladder.start(trust=True) as workers:
        assert workers.isolation.level == machine.strongest()


def test_the_record_says_what_holds_and_what_does_not() -> None:
    everything = Level(3).isolation()
    assert everything.not_enforced == ()
    assert len(everything.enforced) == len(CONTROLS)
    for level in LEVELS:
        said = level.isolation()
        assert len(said.enforced) + len(said.not_enforced) == len(CONTROLS)


def test_elsewhere_a_process_is_spawned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ladder.Unconfined, match="it needs Linux"):
        ladder.start()
    with ladder.start(trust=True) as workers:
        assert isinstance(workers, Spawner)
        assert workers.isolation.level == 0
        assert "limits on memory and output" in workers.isolation.not_enforced
        subject = workers.open(DOUBLE, memory=256, seconds=60)
        assert torch.equal(subject.answer(torch.ones(2)), torch.full((2,), 2.0))
        subject.begin(0.5)
        with pytest.raises(SubmissionTimeout):
            subject.sleep()
        subject.close()


def test_the_code_loads_where_posix_modules_are_missing() -> None:
    code = (
        "import sys\n"
        "for name in ('resource', 'fcntl', 'pwd', 'grp', 'termios', 'pyseccomp'): "
        "sys.modules[name] = None\n"
        f"sys.path.insert(0, {str(roots.PACKAGE.parent)!r})\n"
        "from grader.subject.confined import ladder, worker, spawned\n"
    )
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_of_the_harness_only_the_workers_part_can_be_read() -> None:
    text = "def answer(path): return open(path).read()"
    with machine.submission(text) as subject:
        assert "class Opaque" in subject.answer(str(roots.PACKAGE / "subject/values.py"))
        for part in ("record.py", "suite/plugin.py", "course.py"):
            with pytest.raises(SubmissionError):
                subject.answer(str(roots.PACKAGE / part))


def test_a_harness_inside_the_libraries_stays_hidden(tmp_path: Path) -> None:
    for name in ("a/b/grader", "a/b/numpy", "a/c"):
        (tmp_path / name).mkdir(parents=True)
    found = roots.around(tmp_path, tmp_path / "a/b/grader")
    assert sorted(found) == [tmp_path / "a/b/numpy", tmp_path / "a/c"]
    assert list(roots.around(tmp_path / "a/c", tmp_path / "a/b")) == [tmp_path / "a/c"]
