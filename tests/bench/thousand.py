"""A large class: 100 against 1,000 submissions, and 1,000 in a run that is killed three times.

Meant: cost grows with the number of submissions, memory does not, and the table of the killed run
is that of the undisturbed one. Takes half an hour; less with SUBMISSIONS=300.
"""

import csv
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from bench import cpu
from grader import course as courses
from grader.batch.store import Store
from harness import generated

ROOT = Path(__file__).parents[2]
FEW, MANY, KILLS = 100, int(os.environ.get("SUBMISSIONS", "1000")), 3


def main() -> None:
    """Print both runs' cost and memory, and whether the killed run's table is the same."""
    course = courses.load(ROOT)
    class_ = generated.of_course(course)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for count in (FEW, MANY):
            handed_in = generated.submissions(class_, count, seed=count)
            generated.write(folder / str(count), handed_in)
            print(f"{count} submissions: {measured(folder / str(count), folder / f'out{count}')}")
        whole, again = folder / f"out{MANY}", folder / "killed"
        take_over_seed(whole, again)
        killed(folder / str(MANY), again)
        other = [pair for pair in zip(table(whole), table(again), strict=True) if len({*pair}) > 1]
        print(f"killed {KILLS} times: {len(other)} rows of the table are other ones", *other)


def start(submissions: Path, out: Path) -> subprocess.Popen[bytes]:
    """The command, as an instructor runs it."""
    command = [sys.executable, "-m", "grader", "grade", str(submissions), "--out", str(out)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def measured(submissions: Path, out: Path) -> str:
    """What a run costs, looked at while it runs."""
    began, spent, peaks = time.perf_counter(), 0.0, {"run": 0.0, "all": 0.0}
    run = start(submissions, out)
    while run.poll() is None:
        with suppress(FileNotFoundError, ProcessLookupError):
            spent = max(spent, cpu.of_tree(run.pid))
            peaks["run"] = max(peaks["run"], cpu.private_mib(run.pid))
            every = sum(cpu.private_mib(pid) for pid in cpu.tree(run.pid))
            peaks["all"] = max(peaks["all"], every)
        time.sleep(0.5)
    took, count = time.perf_counter() - began, len(list(submissions.iterdir()))
    return (
        f"{count / took:.2f} a second, {spent / count:.3f} CPU s each, "
        f"at most {peaks['run']:.0f} MiB in the run itself, {peaks['all']:.0f} MiB in all"
    )


def take_over_seed(done: Path, out: Path) -> None:
    """Have a run draw the numbers that another one drew: they are part of what is judged by."""
    out.mkdir()
    with Store(str(out / "results.sqlite")):
        pass  # it has its tables
    with sqlite3.connect(out / "results.sqlite") as connection:
        connection.execute("ATTACH ? AS done", (str(done / "results.sqlite"),))
        connection.execute("INSERT INTO epochs SELECT * FROM done.epochs")


def killed(submissions: Path, out: Path) -> None:
    """A run that is killed at random moments and started again each time."""
    dice = random.Random(9)  # noqa: S311 - not for secrets
    for share in sorted(dice.uniform(0.05, 0.9) for _ in range(KILLS)):
        run = start(submissions, out)
        while stored(out) < share * MANY:
            time.sleep(0.1)
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
    start(submissions, out).wait()


def stored(out: Path) -> int:
    """How many results are kept so far."""
    if not (out / "results.sqlite").exists():
        return 0
    with sqlite3.connect(f"file:{out / 'results.sqlite'}?mode=ro", uri=True) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def table(out: Path) -> list[tuple[str, ...]]:
    """The marks, row for row."""
    with (out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return [tuple(row) for row in csv.reader(file)]
