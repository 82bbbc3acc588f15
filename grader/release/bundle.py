"""The learner's bundle: what a student works with, without a solution or anything that gives one.

Stubs and notebook, the public suites, the grader without what only others need, the pages. The
oracle and the bank of mistakes are programs that know the answers; in their place stand the numbers
that they give for the public probes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from .. import stubs
from ..course import Course
from ..nbgrader import notebook
from . import answers
from .pages import pages
from .slices import needed

COPIED = (
    "LICENSE",
    "constraints.txt",
    "docs/learn/*.md",
    "docs/stages/*.md",
    "grader/**/*",
    "tests/stages/mine.py",
    "tests/stages/public/*.py",
)
"""What goes along as it is, apart from `LEFT_OUT`."""

LEFT_OUT = (
    "docs/learn/implementation.md",  # it shows the whole head
    "grader/batch/*",
    "grader/commands/instructor.py",
    "grader/commands/maintainer.py",
    "grader/commands/self_learner.py",
    "grader/compare/*",
    "grader/diagnosis/matrix.py",
    "grader/diagnosis/proof.py",
    "grader/live/*",
    "grader/nbgrader/*",
    "grader/release/*",
    "grader/subject/confined/*",
    "*.pyc",
)
BUT = ("grader/nbgrader/__init__.py", "grader/nbgrader/checking.py")
"""What a notebook's cells import."""

SESSIONS = ("check", "watch", "hint", "reset")
"""The noxfile's sessions for students."""

Files = dict[str, bytes]
"""A bundle: paths with forward slashes to contents."""


def bundle(course: Course) -> Files:
    """Everything that a student gets.

    Raises:
        CourseError: the course's own files do not fit together.
    """
    known = answers.of(course)
    files = dict(_copied(course.root)) | _made(course, known.worth) | pages(course) | known.files
    return dict(sorted(files.items()))


def _copied(root: Path) -> Iterator[tuple[str, bytes]]:
    for pattern in COPIED:
        for file in sorted(root.glob(pattern)):
            path = file.relative_to(root).as_posix()
            kept = path in BUT or not any(fnmatchcase(path, one) for one in LEFT_OUT)
            if file.is_file() and kept:
                yield path, file.read_bytes()


def _made(course: Course, worth: Mapping[str, float]) -> Files:
    texts = {
        "README.md": _readme(course),
        "noxfile.py": _noxfile((course.root / "noxfile.py").read_text(encoding="utf-8")),
        "pyproject.toml": _project((course.root / "pyproject.toml").read_text(encoding="utf-8")),
        "course.toml": _points((course.root / "course.toml").read_text("utf-8"), course, worth),
        ".gitignore": (course.root / ".gitignore").read_text(encoding="utf-8"),
    }
    for name in course.names:
        texts[f"exercises/{name}.py"] = texts[f"stubs/{name}.py"] = stubs.pristine(course, name)
    for file, text in notebook.wanted(course).items():
        texts[file.relative_to(course.root).as_posix()] = text
    return {path: text.encode() for path, text in texts.items()}


def _readme(course: Course) -> str:
    rows = (f"| `{s.name}` | {s.title} | {s.minutes} |" for s in course.stages)
    return (
        (Path(__file__).parent / "templates" / "README.md")
        .read_text(encoding="utf-8")
        .format(
            title=course.title,
            number=len(course.stages),
            first=course.names[0],
            stages="\n".join(rows),
            notebook=notebook.file_name(course),
        )
    )


def _noxfile(text: str) -> str:
    """The noxfile with the sessions for students, and no other."""
    return needed(text, SESSIONS)


def _project(text: str) -> str:
    """What the project needs to run, without what it needs to be made."""
    return text[text.index("[project]\n") : text.index("\n[project.optional-dependencies]")]


def _points(text: str, course: Course, worth: Mapping[str, float]) -> str:
    """course.toml with the points that the public checks are worth."""
    head, *tables = re.split(r"(?=^\[\[)", text, flags=re.MULTILINE)
    stages = iter(course.stages)
    return head + "".join(
        _public(table, worth[next(stages).name])
        for table in tables
        if table.startswith("[[stage]]")
    )


def _public(table: str, worth: float) -> str:
    return re.sub(
        r"^points = (\S+)$",
        rf"points = {worth:g}  # of \1: the rest is for checks that only a graded run has",
        table,
        count=1,
        flags=re.MULTILINE,
    )
