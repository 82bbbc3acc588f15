"""nbgrader's autograde, with its own kernel and with ours: the same checks, 24 students.

Stock runs a notebook whose test cells call the same suites, public and hidden, inside of the
student's kernel; it takes one submission after the other. Ours is what `nox -s autograde` runs: one
submission at a time, and as many as there are processors. Meant: at least 8 times the throughput,
start included, and at most 0.3 s for each further submission.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench import paired
from grader import course as courses
from grader.nbgrader import course_folder, notebook
from grader.nbgrader.engine import STORE

ROOT = Path(__file__).parents[2]
STUDENTS, FEW = 24, 6
ROUNDS = 2
_STOCK = """
c = get_config()
c.CourseDirectory.course_id = "stock"
c.Execute.timeout = 600
"""
_SETUP = """
import sys
sys.path.insert(0, {root!r})
from grader.nbgrader import checking
checking.PUBLIC = ("public", "hidden")
from grader.nbgrader import check
"""
"""The cell of the notebook that finds the course; here it lets `check` use every suite."""


def main() -> None:
    """Print the ratio, and what each further submission takes."""
    with tempfile.TemporaryDirectory() as place:
        ours, stock = Path(place, "ours"), Path(place, "stock")
        course_folder.make(courses.load(ROOT), ours)
        make_stock(ours, stock)
        for folder in (ours, stock):
            hand_in(folder, ours, STUDENTS)
        ways: dict[str, Callable[[str], None]] = {
            "stock": partial(by_stock, stock),
            "ours, one at a time": partial(by_ours, ours, 1),
            "ours, all processors": partial(by_ours, ours, os.cpu_count() or 1),
        }
        things: dict[str, Callable[[], object]] = {
            f"{name}, {number}": partial(way, students)
            for name, way in ways.items()
            for number, students in {STUDENTS: "*", FEW: "few*"}.items()
        }
        taken = {name: min(values) for name, values in paired.seconds(things, ROUNDS).items()}
    for name, seconds in taken.items():
        print(f"{name} submissions: {seconds:.1f} s")
    for name in ways:
        more = (taken[f"{name}, {STUDENTS}"] - taken[f"{name}, {FEW}"]) / (STUDENTS - FEW)
        times = taken[f"stock, {STUDENTS}"] / taken[f"{name}, {STUDENTS}"]
        print(
            f"{name}: {times:.1f} times stock's throughput, start included; "
            f"{more:.2f} s for each further submission"
        )


def make_stock(ours: Path, stock: Path) -> None:
    """A course folder without our preprocessors, whose notebook calls the same checks."""
    course = courses.load(ROOT)
    source = stock / "source" / course.name
    source.mkdir(parents=True)
    (stock / "nbgrader_config.py").write_text(_STOCK, encoding="utf-8")
    made = json.loads((ours / "source" / course.name / notebook.file_name(course)).read_text())
    for cell in made["cells"]:
        if cell["metadata"]["nbgrader"]["grade_id"] == "setup":
            cell["source"] = _SETUP.format(root=str(ROOT))
    (source / notebook.file_name(course)).write_text(json.dumps(made), encoding="utf-8")
    course_folder.nbgrader(stock, ["generate_assignment", course.name])


def hand_in(folder: Path, ours: Path, number: int) -> None:
    """Right answers of some students, no two of them equal."""
    course = courses.load(ROOT)
    solved = json.loads((ours / "source" / course.name / notebook.file_name(course)).read_text())
    for student in range(number):
        name = f"few{student}" if student < FEW else f"more{student}"
        place = folder / "submitted" / name / course.name
        shutil.copytree(folder / "release" / course.name, place)
        file = place / notebook.file_name(course)
        made = json.loads(file.read_text(encoding="utf-8"))
        for cell, answer in zip(made["cells"], solved["cells"], strict=True):
            if cell["metadata"]["nbgrader"]["solution"] and cell["cell_type"] == "code":
                cell["source"] = "".join(answer["source"]) + f"\n# student {student}"
        file.write_text(json.dumps(made), encoding="utf-8")


def by_stock(folder: Path, students: str) -> None:
    """Grade them by nbgrader's own command."""
    run(folder, "nbgrader", "autograde", courses.load(ROOT).name, f"--student={students}")


def by_ours(folder: Path, jobs: int, students: str) -> None:
    """Grade them by ours; what was judged before is forgotten."""
    (folder / STORE).unlink(missing_ok=True)
    run(ROOT, "grader", "autograde", str(folder), f"--student={students}", f"--jobs={jobs}")


def run(folder: Path, *command: str) -> None:
    """Run one of the commands, afresh even if it has run before."""
    done = subprocess.run(
        [sys.executable, "-m", *command, "--force"],
        cwd=folder,
        env=course_folder.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
