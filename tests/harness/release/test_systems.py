"""The learner's path on systems that have no POSIX: tried by taking away what only POSIX has."""

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.cli import ROOT, python
from harness.tracer import untraced

WITHOUT = """
import os, signal, sys

# torch and the standard library have ways around these, and have found them by now.
import asyncio, multiprocessing, subprocess, tempfile, torch, torch.overrides, pytest, watchfiles

for name in ("resource", "fcntl", "termios", "tty", "pwd", "grp", "pty", "syslog", "pyseccomp"):
    sys.modules[name] = None
for name in ("SIGALRM", "setitimer", "alarm", "pthread_kill"):
    delattr(signal, name)
for name in ("fork", "forkpty", "setpgid", "killpg", "register_at_fork"):
    delattr(os, name)
sys.argv = ["grader", *sys.argv[1:]]

from grader.cli import main
main()
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The course with its solutions as exercises."""
    for name in ("course.toml", "solutions", "docs/stages", "tests/stages", "tests/mistakes"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    shutil.copytree(ROOT / "solutions", tmp_path / "exercises")
    return tmp_path


def without_posix(folder: Path, *args: str, input_: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of the grader's commands in a Python that lacks what only POSIX has."""
    # A tracer swallows the exception that another thread raises here, so coverage stays out.
    env = {**untraced(), "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
    return python(WITHOUT, *args, cwd=folder, env=env, said=input_)


def test_check_judges_a_course(course: Path) -> None:
    done = without_posix(course, "check", "exercises")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 of 7 stages passed" in done.stdout


def test_a_loop_that_never_ends_meets_its_limit_all_the_same(course: Path) -> None:
    settings = course / "course.toml"
    settings.write_text(settings.read_text("utf-8").replace("seconds = 5\n", "seconds = 0.3\n"))
    (course / "exercises" / "scores.py").write_text(
        "def attention_scores(q, k):\n    while True:\n        pass\n"
    )
    done = without_posix(course, "check", "exercises", "scores")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "No answer within 0.3 s" in done.stdout
    assert "scores.py, line " in done.stdout


def test_the_other_commands_run(course: Path) -> None:
    assert "Hint 1" in without_posix(course, "hint", "softmax").stdout
    assert "is a fresh stub" in without_posix(course, "reset", "softmax").stdout


def test_watch_starts_and_quits_without_keys_of_a_terminal(course: Path) -> None:
    (course / "exercises" / "scores.py").write_text("def f(:\n")
    done = without_posix(course, "watch", "exercises", "scores", input_="q\n")
    assert done.returncode == 0, done.stderr
    assert "SyntaxError" in done.stdout
