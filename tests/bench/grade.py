"""What grading costs: (a) `grade`, (b) a fresh pytest process a submission, (c) nbgrader.

All judge the same submissions by the same checks; CPU seconds are compared, as the machine's wall
clock is shared with others. (b) is the grader's own `check`, which starts pytest for all stages
once and loads nothing that it does not need. (c) is stock `nbgrader autograde`, with one test cell
a stage that runs the stage's checks in the notebook's kernel.

Meant: at least 20 times (b) and 15 times (c); a worker up in 30 ms at the median; at most 10 MiB
of private memory a worker.
"""

import re
import shutil
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
from harness import generated

ROOT = Path(__file__).parents[2]
COURSE = courses.load(ROOT)
ROUNDS = 5
EACH = 4
"""Submissions a round. They are generated: right ones and such with a known mistake or two."""
OPENED = 60


def main() -> None:
    """Print ratios, seconds, start-up and memory."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folders = hand_in(folder / "class")
        make_nbgrader(folder / "nbgrader", folders)
        with judging(folders) as ours:
            ways: dict[str, Callable[[], float]] = {
                "grade": lambda: ours(folders),
                "a fresh pytest process": lambda: fresh(folders),
                "nbgrader autograde": lambda: autograde(folder / "nbgrader"),
            }
            taken = in_turn(ways)
    for name, values in taken.items():
        print(f"{name}: {paired.spread([v / EACH for v in values])} CPU s a submission")
    for name, ratio in paired.ratios(taken, to="grade").items():
        print(f"{name}: {ratio} times the CPU time of grade")
    print_workers()


def hand_in(folder: Path) -> list[Path]:
    """A round's submissions."""
    class_ = generated.Class(COURSE, generated.known_mistakes(COURSE))
    kinds = ((generated.right, 1), (generated.wrong, 1))
    generated.write(folder, generated.submissions(class_, EACH, 1, kinds), zips=False)
    return sorted(folder.iterdir())


def in_turn(ways: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """CPU seconds of each way in each round; every second round runs them backwards."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(ROUNDS):
        for name in list(ways)[:: 1 if number % 2 == 0 else -1]:
            taken[name].append(ways[name]())
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

        judge(warm_up)  # it draws its probes and runs the known mistakes, as once in every run
        yield judge


def fresh(folders: list[Path]) -> float:
    """A process for every submission."""
    command = [sys.executable, "-m", "grader", "check"]
    return sum(
        cpu.of_command([*command, str(folder)], ROOT, frozenset({0, 1}), OMP_NUM_THREADS="1")
        for folder in folders
    )


def make_nbgrader(folder: Path, folders: list[Path]) -> None:
    """A course of nbgrader with one notebook, handed in by everybody."""
    (folder / "source/ps1").mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "bench"\n'
    )
    nbformat.write(notebook(ROOT / "solutions"), folder / "source/ps1/p.ipynb")
    cpu.of_command(["nbgrader", "generate_assignment", "ps1"], folder)
    for submission in folders:
        place = folder / "submitted" / submission.name / "ps1"
        place.mkdir(parents=True)
        nbformat.write(notebook(submission), place / "p.ipynb")


def autograde(folder: Path) -> float:
    """Nbgrader's own command, afresh."""
    shutil.rmtree(folder / "autograded", ignore_errors=True)
    path = f"{ROOT}:{ROOT / 'tests'}"
    command = ["nbgrader", "autograde", "ps1", "--force"]
    return cpu.of_command(command, folder, PYTHONPATH=path, OMP_NUM_THREADS="1")


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
