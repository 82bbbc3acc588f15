"""A course folder with a class in it, graded once for all tests of a run."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grader.nbgrader.notebook import CHECK
from harness import exhaustive, generated
from harness.cli import grader
from harness.nbgrader import cheats, intake
from harness.nbgrader.handing_in import COURSE, Case, Folder, as_cell, filled, solution

TWICE = "twice"
"""The student who hands in again."""
BY_HAND = 1.5
"""What a person gave for that student's first answer to the first question."""
GENERATED, SEED = 24 if exhaustive.whole() else 4, 1
EVERY = 12
"""Of the shapes, noises and cheats, a run that is not whole takes each twelfth and no other."""
Marks = Mapping[str, tuple[float | None, bool]]
"""Score and whether a person must look, by the id of the cell."""


@dataclass(frozen=True)
class Graded:
    """The folder after autograding and feedback."""

    folder: Path
    course: Path
    """The copy of the course that it was graded by."""
    said: str
    """What the command printed."""
    marks: Mapping[str, Marks]
    comments: Mapping[str, Mapping[str, str]]
    facts: Mapping[str, Mapping[str, Any]]

    def total(self, student: str) -> float:
        """The points of the stages."""
        return sum(score or 0 for score, _ in self.marks[student].values())

    def notebook(self, student: str) -> Path:
        """The autograded notebook."""
        name = f"{COURSE.name}.ipynb"
        return self.folder / "autograded" / student / COURSE.name / name

    def feedback(self, student: str) -> str:
        """The student's page."""
        file = self.folder / "feedback" / student / COURSE.name / f"{COURSE.name}.html"
        return file.read_text(encoding="utf-8")

    def told(self, student: str) -> str:
        """Every comment to a student."""
        return "\n".join(self.comments[student].values())


def students(folder: Path) -> dict[str, Folder]:
    """What everybody hands in."""
    everything = {name: solution(name) for name in COURSE.names}
    made = {
        intake.ALL_RIGHT: Folder(filled(everything)),
        intake.RIGHT: Folder(filled(intake.two())),
        "nothing": Folder(filled({})),
        "stuck": Folder(filled({**everything, **endless()})),
        "unreadable": intake.unreadable(),
        TWICE: intake.second_attempt(),
        cheats.PLAIN: cheats.plain(),
    }
    for name, texts in generated_texts().items():
        made[name] = Folder(filled({stage: as_cell(text) for stage, text in texts.items()}))
    for name, (stage, text) in intake.LOST.items():
        made[name] = Folder(filled({**intake.two(), "mixing": solution("mixing"), stage: text}))
    taken = cases(folder) if exhaustive.whole() else sample(cases(folder))
    return made | {name: case.make() for name, case in taken.items()}


def endless() -> dict[str, str]:
    """Stages that never end; each costs the run three of its checks' limits."""
    return dict(exhaustive.some(intake.STUCK.items(), every=len(intake.STUCK)))


def sample(everybody: Mapping[str, Case]) -> dict[str, Case]:
    """Each twelfth, and the one that has a test of its own."""
    names = {*list(everybody)[::EVERY], "late"}
    return {name: case for name, case in everybody.items() if name in names}


@cache
def generated_texts() -> dict[str, dict[str, str]]:
    """A class as modules; most are right or have known mistakes, some are broken or hostile.

    In a notebook, a stage that is missing is a stub that was left alone.
    """
    made = generated.of_course(COURSE)
    return dict(generated.submissions(made, GENERATED, seed=SEED))


def cases(folder: Path) -> dict[str, Case]:
    """All students who must get what somebody else gets."""
    return {**intake.SHAPES, **intake.NOISY, **cheats.table(str(folder))}


def hurried(place: Path) -> Path:
    """A copy of the course in which a check may take two seconds, as some submissions never end."""
    for name in ("docs/stages", "solutions", "tests/stages", "tests/mistakes"):
        shutil.copytree(COURSE.root / name, place / name)
    text = (COURSE.root / "course.toml").read_text(encoding="utf-8")
    hurried = re.sub(r"^seconds = \d+", "seconds = 2", text, flags=re.MULTILINE)
    (place / "course.toml").write_text(hurried, encoding="utf-8")
    return place


def made(folder: Path) -> None:
    """Make the folder, hand everything in, grade it, write feedback."""
    course = hurried(folder.with_name("course"))
    assert grader("assignment", folder, cwd=course, timeout=300).returncode == 0
    with (folder / "nbgrader_config.py").open("a") as settings:
        settings.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    due(folder)
    graded_before(folder)
    for student, handed_in in students(folder).items():
        handed_in.write(folder / "submitted" / student / COURSE.name)
    jobs = "2" if exhaustive.whole() else "1"  # each is a process that has PyTorch to load, twice
    done = grader("autograde", folder, "--jobs", jobs, cwd=course, timeout=600)
    (folder / "said.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-3000:]
    assert grader("feedback", folder, cwd=course, timeout=300).returncode == 0


def due(folder: Path) -> None:
    """Set when the assignment was due."""
    with gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        book.update_or_create_assignment(COURSE.name, duedate="2026-01-10 12:00:00 UTC")


def graded_before(folder: Path) -> None:
    """What an earlier run left of the first attempt, and what a person gave for it."""
    first = intake.first_attempt()
    first.write(folder / "autograded" / TWICE / COURSE.name)
    with quiet(), gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        book.update_or_create_student(TWICE)
        [sheet] = book.update_or_create_submission(
            COURSE.name, TWICE, timestamp=first.timestamp
        ).notebooks
        for grade in sheet.grades:
            if grade.name == COURSE.questions[0].name:
                grade.manual_score = BY_HAND
            elif grade.name == f"{CHECK}mixing":
                grade.auto_score, grade.needs_manual_grade = COURSE.stage("mixing").points, False
        book.db.commit()


def read(folder: Path) -> Graded:
    """What the gradebook holds."""
    marks: dict[str, Marks] = {}
    comments: dict[str, dict[str, str]] = {}
    facts: dict[str, dict[str, Any]] = {}
    with gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        for found in book.assignment_submissions(COURSE.name):
            [sheet] = found.notebooks
            name = found.student.id
            marks[name] = {g.name: (g.auto_score, g.needs_manual_grade) for g in sheet.grades}
            comments[name] = {c.name: c.auto_comment or "" for c in sheet.comments}
            facts[name] = {
                "score": found.score,
                "manual": [g.manual_score for g in sheet.grades],
                "late": found.total_seconds_late,
                "penalty": sheet.late_submission_penalty,
            }
    course = folder.with_name("course")
    return Graded(folder, course, (folder / "said.txt").read_text(), marks, comments, facts)


def gradebook(url: str) -> Any:
    """A gradebook of nbgrader's, opened."""
    with quiet():
        from nbgrader.api import Gradebook
    return Gradebook(url)


def nbgrader(folder: Path, *arguments: str) -> str:
    """What one of nbgrader's own commands prints, run in a folder by nbgrader's own test helper."""
    with quiet(), chdir(folder):
        from nbgrader.tests import run_nbgrader

        return str(run_nbgrader([*arguments], stdout=True))


@contextmanager
def quiet() -> Iterator[None]:
    """Without SQLAlchemy's warnings about how nbgrader uses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
