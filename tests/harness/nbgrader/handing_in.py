"""Notebooks as students hand them in, made from the one that was released."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader import course as courses
from grader import stage_page
from grader.nbgrader import notebook

ROOT = Path(__file__).parents[3]
COURSE = courses.load(ROOT)
NAME = notebook.file_name(COURSE)
Json = dict[str, Any]


def released() -> Json:
    """The notebook as it is handed out."""
    made: Json = json.loads(notebook.text(notebook.handed_out(COURSE)))
    return made


def solution(stage: str, *changes: tuple[str, str]) -> str:
    """The right answer's cell, with some of its text replaced."""
    solved = json.loads(notebook.text(notebook.solved(COURSE)))
    text = source(cell(solved, stage))
    for old, new in changes:
        assert old in text, f"{stage} holds no {old!r}"
        text = text.replace(old, new)
    return text


def filled(answers: Mapping[str, str]) -> Json:
    """The released notebook with these texts in its cells."""
    made = released()
    for stage, text in answers.items():
        cell(made, stage)["source"] = text
    return made


def as_cell(module: str) -> str:
    """A module's text as it stands in a notebook, which knows no siblings."""
    return "\n".join(line for line in module.split("\n") if not line.startswith("from ."))


def cell(made: Json, id_: str) -> Json:
    """A cell by its id."""
    return next(c for c in made["cells"] if c["metadata"]["nbgrader"]["grade_id"] == id_)


def source(found: Json) -> str:
    """A cell's text."""
    text = found["source"]
    return text if isinstance(text, str) else "".join(text)


def own(text: str, kind: str = "code") -> Json:
    """A cell that a student added."""
    made: Json = {"cell_type": kind, "metadata": {}, "source": text}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


@dataclass
class Folder:
    """What one student hands in."""

    notebook: Json | bytes | None = None
    name: str = NAME
    files: dict[str, str] = field(default_factory=dict)
    timestamp: str = ""

    def write(self, place: Path) -> None:
        """Put it where nbgrader looks for it."""
        place.mkdir(parents=True)
        if self.notebook is not None:
            data = self.notebook
            raw = data if isinstance(data, bytes) else json.dumps(data).encode()
            (place / self.name).write_bytes(raw)
        for name, text in self.files.items():
            (place / name).write_text(text)
        if self.timestamp:
            (place / "timestamp.txt").write_text(self.timestamp)


@dataclass(frozen=True)
class Case:
    """One student, and whose marks they must get.

    Attributes:
        make: what is handed in.
        twin: the student whose marks these must be.
        at_most: whether they may be lower, as a program that ends itself gains nothing.
        told: what a line to the student says.
    """

    make: Callable[[], Folder]
    twin: str
    at_most: bool = False
    told: str = ""


def functions(stage: str) -> tuple[str, ...]:
    """What a stage defines."""
    return stage_page.read(COURSE, stage).functions
