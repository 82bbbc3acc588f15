"""Hostile submissions gain nothing, and each would gain something if nothing stopped it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.subject import SubmissionError
from harness import exhaustive
from harness.cli import python
from harness.confined import machine
from harness.confined.attacks import BREAK_OUTS, CHEATS, CHECKS, HEAD, BreakOut, Cheat

ROOT = Path(__file__).parents[3]
HIDDEN = next((ROOT / "tests/stages/hidden").glob("*.py"))
NOTHING, BETWEEN = 0, 2
"""The level that stops nothing, and the one that no machine of ours ends up with."""

break_outs = pytest.mark.parametrize("attack", BREAK_OUTS, ids=lambda a: a.name)
promises = pytest.mark.parametrize(
    ("attack", "level"),
    [
        (exhaustive.full if level == BETWEEN else pytest.param)(
            attack, level, id=f"{attack.name}-{level}"
        )
        for attack in BREAK_OUTS
        for level in (1, 2, 3)
        if level >= attack.since
    ],
)
"""Every attack, at every level that promises to stop it."""
cheats = pytest.mark.parametrize("attack", CHEATS, ids=lambda a: a.name)


@pytest.fixture
def hints(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Where things are that a submission has no business with."""
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    mark = f"open({str(tmp_path / 'mark')!r}, 'w').close()"
    mode = HIDDEN.stat().st_mode
    with (
        subprocess.Popen(["sleep", "600"]) as other,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        local.bind(str(tmp_path / "s"))
        local.listen()
        try:
            yield {
                "file": str(HIDDEN),
                "folder": str(tmp_path),
                "victim": str(victim),
                "pid": other.pid,
                "port": server.getsockname()[1],
                "socket": str(tmp_path / "s"),
                "mark": mark,
            }
        finally:
            other.kill()
            HIDDEN.chmod(mode)


def broke_out(attack: BreakOut, level: int, hints: dict[str, Any]) -> bool:
    """Whether an attempt on the machine succeeds in a worker of some level."""
    with machine.submission(HEAD + attack.body, level) as subject:
        try:
            gained = bool(subject.attack(hints))
        except SubmissionError:
            gained = False
    return gained or Path(hints["folder"], "mark").exists()


@promises
def test_nothing_breaks_out(attack: BreakOut, level: int, hints: dict[str, Any]) -> None:
    before = sorted(Path(hints["folder"]).iterdir())
    assert not broke_out(attack, level, hints)
    assert sorted(Path(hints["folder"]).iterdir()) == before
    assert Path(hints["victim"]).read_text(encoding="utf-8") == "precious"


@break_outs
def test_it_would_break_out_if_nothing_stopped_it(attack: BreakOut, hints: dict[str, Any]) -> None:
    if attack.root and os.geteuid():
        pytest.skip("without root this fails anyway")
    assert broke_out(attack, NOTHING, hints)


def fooled(check: str, answer: Callable[..., Any]) -> bool:
    """Whether a wrong answer passes its check."""
    judge: dict[str, Any] = {}
    exec(CHECKS[check], judge)  # noqa: S102 - the same text as the naive judge has
    try:
        judge["check"](answer)
    except (SubmissionError, AssertionError, TypeError):
        return False
    return True


@cheats
def test_no_wrong_answer_passes(attack: Cheat) -> None:
    with machine.submission(attack.text, machine.strongest()) as subject:
        assert not fooled(attack.check, subject.answer)


NAIVE = """
import gc, os, sys
import pytest, torch
gc.freeze()  # what was loaded need not be gone through when a fork ends
for folder in sys.argv[1:]:
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    else:
        os.chdir(folder)
        os.dup2(os.open("said", os.O_CREAT | os.O_WRONLY), 1)
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", folder]))
"""
"""A judge that runs each submission in the process of its test, and believes the exit code."""

HONEST = Cheat("wrong, and no cheat", "def answer(x): return x")


@pytest.fixture(scope="module")
def naive(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The exit code of each cheat at the naive judge, and what pytest printed."""
    folders = {cheat.name: tmp_path_factory.mktemp("cheat") for cheat in (*CHEATS, HONEST)}
    for cheat in (*CHEATS, HONEST):
        files = {
            "answer.py": cheat.text,
            "test_answer.py": f"import answer\n{CHECKS[cheat.check]}\n"
            "def test_answer(): check(answer.answer)",
            **dict(cheat.beside),
        }
        for name, text in files.items():
            (folders[cheat.name] / name).write_text(text, encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = python(NAIVE, *folders.values(), env=environment)
    assert run.returncode == 0, run.stderr
    said = (folder / "said" for folder in folders.values())
    printed = [file.read_text(encoding="utf-8") if file.exists() else "" for file in said]
    return dict(zip(folders, zip(map(int, run.stdout.split()), printed, strict=True), strict=True))


@cheats
def test_it_would_pass_a_judge_in_the_same_process(
    attack: Cheat, naive: dict[str, tuple[int, str]]
) -> None:
    code, printed = naive[attack.name]
    assert code == 0, printed


def test_that_judge_refuses_what_is_only_wrong(naive: dict[str, tuple[int, str]]) -> None:
    code, printed = naive[HONEST.name]
    assert code == 1
    assert "1 failed" in printed


LEAVER = """
import os, tempfile
note = os.path.join(tempfile.gettempdir(), "note-to-the-next")
def attack(hints):
    if os.path.exists(note): return open(note).read()
    open(note, "w").write("the answer is 42")
"""


@pytest.mark.parametrize("level", [NOTHING, 1, 3])
def test_no_submission_leaves_a_note_for_the_next(level: int) -> None:
    found = []
    for _ in range(2):
        with machine.submission(LEAVER, level) as subject, contextlib.suppress(SubmissionError):
            found.append(subject.attack({}))
    with machine.submission(CLEANER, level) as subject, contextlib.suppress(SubmissionError):
        subject.clean()
    assert any(found) == (level == NOTHING)


CLEANER = LEAVER + "def clean(): os.remove(note)"

OUTLIVER = """
import os, threading, time
def wait_and_mark(hints):
    time.sleep(0.5)
    exec(hints["mark"])
def attack(hints):
    threading.Thread(target=wait_and_mark, args=(hints,)).start()
    ready, away = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(away, b"1")
        wait_and_mark(hints)
        os._exit(0)
    os.read(ready, 1)
"""
"""Where nothing stops it, the child is away before the attack returns."""


@pytest.mark.parametrize("level", [NOTHING, 1, exhaustive.full(BETWEEN), 3])
def test_nothing_outlives_its_worker(level: int, hints: dict[str, Any]) -> None:
    with machine.submission(OUTLIVER, level) as subject, contextlib.suppress(SubmissionError):
        subject.attack(hints)
    time.sleep(1.0)
    assert Path(hints["folder"], "mark").exists() == (level == NOTHING)


SPEAKER = """
import os, stat, struct, time
import torch
def is_socket(fd):
    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError: return False
way_out = next(filter(is_socket, range(64)))
def say(text, header=None, body=0):
    header = len(text) - body if header is None else header
    os.write(way_out, struct.pack("<IQ", header, body) + text)
def forge(): say(b'{"result": 42, "tensors": [], "moved": {}, "modes": []}'); return 1
def garble(): say(b"pytest: 1 passed")
def claim(): say(b"", 1 << 31, 1 << 62)
def nest(): say(b"[" * 100000)
def pickle(): say(b'{"result": null, "tensors": [], "moved": {}, "modes": []}cos\\nsystem', body=10)
def point(): say(b'{"result": {"argument": 7}, "tensors": [], "moved": {}, "modes": []}')
def trickle():
    os.write(way_out, struct.pack("<IQ", 1 << 20, 0))
    while True: os.write(way_out, b" "); time.sleep(0.05)
def fall_silent(): os.write(way_out, b"\\0"); time.sleep(60)
def lie(): return torch.tensor([2, 0], dtype=torch.uint8).view(torch.bool)
def fine(): return 1
"""


@pytest.mark.parametrize(
    "name", ["garble", "claim", "nest", "pickle", "point", "lie", "trickle", "fall_silent"]
)
def test_speaking_out_of_turn_ends_the_worker_and_nothing_else(name: str) -> None:
    with machine.submission(SPEAKER) as subject:
        subject.begin(2)
        with pytest.raises(SubmissionError):
            getattr(subject, name)()
        subject.begin(20)
        assert subject.fine() == 1


def test_a_forged_answer_is_only_an_answer() -> None:
    with machine.submission(SPEAKER) as subject:
        assert subject.forge() == 42
        assert subject.fine() == 1  # the forger's own: it came too late
        assert subject.fine() == 1
