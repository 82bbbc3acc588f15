"""nbgrader's autograde, with its own kernel and with ours: the same checks, 24 students.

Both run in one process of nbgrader's. Stock runs a notebook whose test cells call the same suites,
public and hidden, inside of the student's kernel. Meant: at least 8 times the throughput, start
included, and at most 0.3 s for each further submission.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import paired
from grader import course as courses
from grader.nbgrader import course_folder, notebook

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
        things: dict[str, Callable[[], object]] = {
            f"stock, {STUDENTS}": lambda: autograde(stock, "*"),
            f"stock, {FEW}": lambda: autograde(stock, "few*"),
            f"ours, {STUDENTS}": lambda: autograde(ours, "*"),
            f"ours, {FEW}": lambda: autograde(ours, "few*"),
        }
        taken = paired.seconds(things, ROUNDS)
    for name, values in taken.items():
        print(f"{name} submissions: {min(values):.1f} s")
    pairs = zip(taken[f"stock, {STUDENTS}"], taken[f"ours, {STUDENTS}"], strict=True)
    print(f"throughput, start included: {max(a / b for a, b in pairs):.1f} times stock's")
    for kind in ("stock", "ours"):
        more = min(taken[f"{kind}, {STUDENTS}"]) - min(taken[f"{kind}, {FEW}"])
        print(f"{kind}: {more / (STUDENTS - FEW):.2f} s for each further submission")


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


def autograde(folder: Path, students: str) -> None:
    """Grade them afresh."""
    (folder / "results.sqlite").unlink(missing_ok=True)
    command = [sys.executable, "-m", "nbgrader", "autograde", courses.load(ROOT).name]
    done = subprocess.run(
        [*command, f"--student={students}", "--force"],
        cwd=folder,
        env=course_folder.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
