"""course.toml as data: which stages there are, in which order, and what each is worth."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any


class CourseError(Exception):
    """Something a person can mend: a broken course.toml, an unknown stage."""


@dataclass(frozen=True)
class Stage:
    """One stage of the course, as its table in course.toml has it."""

    name: str
    title: str
    points: float
    minutes: int
    seconds: float
    """Time limit of one check, where the check names none of its own."""
    memory: int
    """MiB that a submission may use on top of the interpreter, in a confined run."""
    forbidden: tuple[str, ...] = ()
    """Groups of built-in operations that are refused in this stage only."""
    ratios: Mapping[str, float] = field(default_factory=dict, hash=False)
    """How fast the stage must be, as ratios of times; the suite says of which."""


@dataclass(frozen=True)
class Question:
    """A short question that a person marks, where the course is handed out as a notebook."""

    name: str
    points: float
    text: str


@dataclass(frozen=True)
class Course:
    """A course: its stages in order, and the folder that holds suites, solutions and stubs."""

    name: str
    title: str
    stages: tuple[Stage, ...]
    root: Path
    questions: tuple[Question, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The stages' names, in the order in which a learner meets them."""
        return tuple(stage.name for stage in self.stages)

    @property
    def titles(self) -> dict[str, str]:
        """The stages' titles, by their names."""
        return {stage.name: stage.title for stage in self.stages}

    @property
    def points(self) -> float:
        """What the whole course is worth."""
        return sum(stage.points for stage in self.stages)

    def stage(self, name: str) -> Stage:
        """Look a stage up by name.

        Raises:
            CourseError: there is no such stage; the message suggests the nearest name.
        """
        for stage in self.stages:
            if stage.name == name:
                return stage
        near = difflib.get_close_matches(name, self.names, n=1, cutoff=0.4)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise CourseError(
            f"There is no stage {name!r}.{meant} The stages are {', '.join(self.names)}."
        )

    def before(self, name: str) -> tuple[str, ...]:
        """The names of the stages before this one: what its module may import."""
        return self.names[: self.names.index(name)]


_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "title": (str,),
    "points": (int, float),
    "minutes": (int,),
    "seconds": (int, float),
    "memory": (int,),
    "forbidden": (list,),
    "ratios": (dict,),
}
_OPTIONAL = {"forbidden", "ratios"}
_REQUIRED = tuple(entry.name for entry in fields(Stage) if entry.name not in _OPTIONAL)


def load(root: Path) -> Course:
    """Read `root/course.toml`.

    Raises:
        CourseError: the file is missing, is not TOML, or says something that makes no course.
    """
    file = root / "course.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(
            f"There is no course.toml in {root}. Run the command in the folder of the course."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{file} is not readable as TOML: {error}") from None
    stages = tuple(_stage(entry, number) for number, entry in enumerate(_entries(table, file), 1))
    questions = tuple(_question(entry) for entry in table.get("question", ()))
    _refuse_twins([*stages, *questions], file)
    return Course(str(table["name"]), str(table["title"]), stages, root.resolve(), questions)


def _entries(table: dict[str, Any], file: Path) -> list[Any]:
    for key in ("name", "title"):
        if not isinstance(table.get(key), str):
            raise CourseError(f'{file} must say {key} = "…" before the first [[stage]].')
    entries = table.get("stage")
    if not isinstance(entries, list) or not entries:
        raise CourseError(f"{file} has no [[stage]]: a course needs at least one.")
    return entries


def _stage(entry: Any, number: int) -> Stage:
    where = f"course.toml, stage {number}"
    if not isinstance(entry, dict):
        raise CourseError(f"{where}: each stage is a table, written [[stage]].")
    for key in _REQUIRED:
        if key not in entry:
            raise CourseError(f"{where}: {key!r} is missing.")
    for key, value in entry.items():
        _refuse_wrong_type(key, value, where)
    return Stage(**{**entry, "forbidden": tuple(entry.get("forbidden", ()))})


def _question(entry: Any) -> Question:
    wanted = "course.toml: a [[question]] has a name, points and a text, and nothing else."
    if not isinstance(entry, dict) or set(entry) != {"name", "points", "text"}:
        raise CourseError(wanted)
    for key in ("name", "points"):
        _refuse_wrong_type(key, entry[key], "course.toml, a question")
    return Question(entry["name"], entry["points"], str(entry["text"]).strip())


def _refuse_wrong_type(key: str, value: Any, where: str) -> None:
    if key not in _TYPES:
        raise CourseError(f"{where}: {key!r} is not known. Known: {', '.join(_TYPES)}.")
    if not isinstance(value, _TYPES[key]) or isinstance(value, bool):
        wanted = " or ".join(kind.__name__ for kind in _TYPES[key])
        raise CourseError(f"{where}: {key} must be {wanted}, and is {value!r}.")
    if key == "name" and not str(value).isidentifier():
        raise CourseError(f"{where}: the name {value!r} must work as a Python module's name.")
    if isinstance(value, dict) and not all(_is_positive(ratio) for ratio in value.values()):
        raise CourseError(f"{where}: every one of the {key} must be a positive number.")
    if isinstance(value, int | float) and value < 0:
        raise CourseError(f"{where}: {key} must not be negative, and is {value!r}.")


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _refuse_twins(entries: Sequence[Stage | Question], file: Path) -> None:
    names = [entry.name for entry in entries]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise CourseError(f"{file}: two stages have the same name: {', '.join(twins)}.")
