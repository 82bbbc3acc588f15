"""What grading costs: (a) `grade`, (b) a fresh pytest process a submission, (c) nbgrader.

All judge the same submissions by the same checks, every round other ones; CPU seconds are
compared, as the machine's wall clock is shared with others. (a) is one process that judges, after
a first part of the class. (b) is `pytest` as anybody would start it, with the submission in its own
process; the grader's `check` is shown beside it, which loads nothing that it does not need and
names the mistakes as (a) does. (c) is stock `nbgrader autograde`, with one test cell a stage that
runs the stage's checks in the notebook's kernel.

Meant: at least 20 times (b) and 15 times (c); a worker up in 30 ms at the median; at most 10 MiB
of private memory a worker.
"""

import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import nbformat
import torch
from nbformat.v4 import new_code_cell, new_notebook

from bench import cpu, paired
from grader import course as courses
from grader.batch.judges import JudgingProcess
from grader.batch.talk import Orders
from grader.subject.confined import ladder
from grader.subject.confined.zygote import Zygote
from grader.subject.protocol import Sources
from grader.submission import read_folder
from grader.suite import session
from harness import generated

ROOT = Path(__file__).parents[2]
COURSE = courses.load(ROOT)
_NBGRADER = [sys.executable, "-m", "nbgrader"]
_PROGRAMS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
"""Where nbgrader looks for a program of its own."""
_PATH = f"{ROOT}:{ROOT / 'tests'}"
ROUNDS = 5
EACH = 4
"""Submissions a round. They are generated: right ones, in various ways, and such with mistakes."""
BEFORE = 60
"""Submissions that (a) has judged before, as in a class of hundreds."""
OPENED = 60


def main() -> None:
    """Print ratios, seconds, start-up and memory."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        before, *rounds = hand_in(folder / "class")
        with judging(before) as ours:
            ways: dict[str, Callable[[list[Path]], float]] = {
                "grade": ours,
                "a fresh pytest process": fresh_pytest,
                "a fresh process of the grader": fresh_check,
                "nbgrader autograde": autograde,
            }
            taken = in_turn(ways, rounds)
    for name, values in taken.items():
        print(f"{name}: {paired.spread([v / EACH for v in values])} CPU s a submission")
    for name, ratio in paired.ratios(taken, to="grade").items():
        print(f"{name}: {ratio} times the CPU time of grade")
    print_workers()


def hand_in(folder: Path) -> list[list[Path]]:
    """The submissions from before, and those of each round."""
    kinds = ((generated.right, 1), (generated.wrong, 1))
    count = BEFORE + ROUNDS * EACH
    class_ = generated.of_course(COURSE)
    generated.write(folder, generated.submissions(class_, count, 1, kinds), zips=False)
    found = sorted(folder.iterdir(), key=lambda path: path.name.rpartition("-")[2])
    return [found[:BEFORE], *(found[n : n + EACH] for n in range(BEFORE, count, EACH))]


def in_turn(
    ways: dict[str, Callable[[list[Path]], float]], rounds: list[list[Path]]
) -> dict[str, list[float]]:
    """CPU seconds of each way in each round; every second round runs them backwards."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number, folders in enumerate(rounds):
        for name in list(ways)[:: 1 if number % 2 == 0 else -1]:
            taken[name].append(ways[name](folders))
    return taken


@contextmanager
def judging(warm_up: list[Path]) -> Iterator[Callable[[list[Path]], float]]:
    """A process that judges, warm: what a long run has."""
    orders = Orders(str(ROOT), COURSE.names, "a seed of the bench")
    start = time.perf_counter()
    with closing(JudgingProcess(orders)) as process:
        took, spent = time.perf_counter() - start, cpu.of_tree(process.pid)
        print(f"a process that judges is ready after {took:.1f} s, {spent:.1f} CPU s")

        def judge(folders: list[Path]) -> float:
            before = cpu.of_tree(process.pid)
            for folder in folders:
                process.judge(read_folder(folder, COURSE.names))
            return cpu.of_tree(process.pid) - before

        judge(warm_up)
        yield judge


def fresh_pytest(folders: list[Path]) -> float:
    """An ordinary run of pytest for every submission."""
    options = ["-p", "grader.suite.fixtures", "-p", "bench.plain", "--import-mode=importlib"]
    options += ["--noconftest", "-c", os.devnull, f"--rootdir={ROOT}"]
    suites = sorted(map(str, (ROOT / "tests/stages").glob("*/*.py")))
    suites = [suite for suite in suites if Path(suite).parent.name in session.KINDS]
    command = [sys.executable, "-m", "pytest", *options, *suites]
    env = {"PYTHONPATH": _PATH, "OMP_NUM_THREADS": "1"}
    return sum(
        cpu.of_command(command, ROOT, frozenset({0, 1}), SUBMISSION=str(folder), **env)
        for folder in folders
    )


def fresh_check(folders: list[Path]) -> float:
    """The grader's own check, in a process for every submission."""
    command = [sys.executable, "-m", "grader", "check"]
    return sum(
        cpu.of_command([*command, str(folder)], ROOT, frozenset({0, 1}), OMP_NUM_THREADS="1")
        for folder in folders
    )


def autograde(folders: list[Path]) -> float:
    """Nbgrader's own command, on a course with one notebook that these have handed in."""
    with tempfile.TemporaryDirectory() as place:
        course = Path(place)
        make_nbgrader(course, folders)
        command = [*_NBGRADER, "autograde", "ps1"]
        env = {"PYTHONPATH": _PATH, "PATH": _PROGRAMS, "OMP_NUM_THREADS": "1"}
        return cpu.of_command(command, course, frozenset({0}), **env)


def make_nbgrader(folder: Path, folders: list[Path]) -> None:
    """A course of nbgrader with one notebook, handed in by everybody."""
    (folder / "source/ps1").mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "bench"\n'
    )
    nbformat.write(notebook(ROOT / "solutions"), folder / "source/ps1/p.ipynb")
    cpu.of_command([*_NBGRADER, "generate_assignment", "ps1"], folder, PATH=_PROGRAMS)
    for submission in folders:
        place = folder / "submitted" / submission.name / "ps1"
        place.mkdir(parents=True)
        nbformat.write(notebook(submission), place / "p.ipynb")


def notebook(submission: Path) -> nbformat.NotebookNode:
    """A submission as a notebook: a cell with each module's text, and a test cell behind it."""
    cells = []
    for name, text in read_folder(submission, COURSE.names).texts.items():
        # As a string: the checks want a module, and modules want their siblings. Without the
        # marks around what a stub leaves out, which nbgrader would look for in it.
        text = re.sub("(BEGIN|END) SOLUTION", "", text)
        cells.append(cell(f"{name}-text", f"{name} = {text!r}", solution=True))
        test = f"from bench.in_cells import check\ncheck({str(ROOT)!r}, {name!r}, {name})"
        cells.append(cell(f"{name}-test", test, points=COURSE.stage(name).points))
    made: nbformat.NotebookNode = new_notebook(cells=cells)
    return made


def cell(
    name: str, source: str, points: float = 0, solution: bool = False
) -> nbformat.NotebookNode:
    """A cell as nbgrader marks it."""
    kind = {"grade": not solution, "solution": solution, "locked": not solution, "task": False}
    own = {"grade_id": name, "schema_version": 3, "cell_type": "code", **kind}
    if not solution:
        own["points"] = points
    made: nbformat.NotebookNode = new_code_cell(source, metadata={"nbgrader": own})
    return made


def print_workers() -> None:
    """How long a worker takes to be there, and what memory is its own after a stage."""
    text = (ROOT / "solutions/projection.py").read_text()
    milliseconds, memory = [], []
    with ladder.start() as workers:
        assert isinstance(workers, Zygote)
        for _ in range(OPENED):
            start = time.perf_counter()
            subject = workers.open(
                Sources("projection", {"projection": text}), memory=1024, seconds=60
            )
            milliseconds.append((time.perf_counter() - start) * 1000)
            subject.project(torch.ones(2, 3, requires_grad=True), torch.ones(3, 2)).sum().backward()
            memory.append(cpu.private_mib([*cpu.tree(workers.pid)][-1]))
            subject.close()
    print(f"a worker is up after {paired.spread(milliseconds)} ms")
    print(f"a worker has {statistics.median(memory):.1f} MiB of its own, {max(memory):.1f} at most")
