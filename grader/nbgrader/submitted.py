"""What a student handed in, as nbgrader has it: a notebook, and perhaps modules beside it."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from filecmp import cmp
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_notebook

from ..course import Course, CourseError
from ..intake import notebook as intake
from ..intake.cells import Cell
from ..intake.disk import OnDisk
from ..intake.modules import Reading
from ..stage_page import functions
from ..submission import IntakeError, Submission, is_written
from . import notebook
from .notebook import CHECK

_FACTS = "handed_in"


def opened(file: Path) -> NotebookNode:
    """A submitted notebook in today's format, without outputs; an empty one if it is unreadable."""
    try:
        found = intake.read(OnDisk(file).read(intake.MAX_NOTEBOOK))
    except IntakeError as error:
        return _made((), tuple(_renaming(file)), f"The notebook cannot be read: {error}.")
    return _made(found.cells, notes=(*_renaming(file), *found.notes))


def _renaming(file: Path) -> Iterator[str]:
    """What to say of a notebook that is a copy of one with another name; see `renamed`."""
    others = (other for other in file.parent.glob("*.ipynb") if other != file and other.is_file())
    twins = sorted(other.name for other in others if cmp(file, other, shallow=False))
    if twins:
        yield f"The notebook was handed in as {twins[0]}."


def notes(nb: NotebookNode) -> tuple[str, ...]:
    """What there is to say of how a notebook came in."""
    return tuple(nb.metadata.get(_FACTS, {}).get("notes", ()))


def add_notes(nb: NotebookNode, more: Sequence[str]) -> None:
    """Remember what was repaired."""
    facts = nb.metadata.setdefault(_FACTS, {})
    facts["notes"] = [*facts.get("notes", ()), *more]


def read(
    nb: NotebookNode, folder: Path, course: Course, student: str
) -> tuple[Submission, tuple[str, ...]]:
    """A notebook as a submission; stages for which it has no cell come from modules beside it.

    Args:
        nb: the notebook, as `opened` or `RestoreMetadata` left it.
        folder: the student's own folder.
        course: the course.
        student: the student's id.
    """
    facts = nb.metadata.get(_FACTS, {})
    work, told = _of_cells(tuple(map(_cell, nb.cells)), notes(nb), course)
    cells = work.texts
    work = _with_modules(replace(work, id=student, path=str(folder)), folder, course)
    taken = [name for name in cells if work.texts[name] is not cells[name]]
    if taken:
        files = ", ".join(f"{name}.py" for name in taken)
        told = (*told, f"Nothing is written into some cells; these modules count: {files}.")
    if "problem" in facts:
        texts = {name: text for name, text in work.texts.items() if is_written(text)}
        missing = [name for name in course.names if name not in texts]
        problems = {**dict.fromkeys(missing, facts["problem"]), **work.problems}
        work = replace(work, texts=texts, problems=problems)
    return work, told


@lru_cache(maxsize=16)  # most are read ahead of their turn, and again when it comes
def _of_cells(
    cells: tuple[Cell, ...], said: tuple[str, ...], course: Course
) -> tuple[Submission, tuple[str, ...]]:
    return intake.submission(intake.Notebook(cells, said), _functions(course), "", "", CHECK)


@cache
def _functions(course: Course) -> Mapping[str, Sequence[str]]:
    return functions(course)


def peek(folder: Path, course: Course, student: str) -> Submission:
    """What will probably be read of a student's folder when its turn comes."""
    files = sorted(folder.glob("*.ipynb"))
    named = [file for file in files if file.stem == course.name] or files
    nb = opened(named[0]) if named else _made(())
    return read(nb, folder, course, student)[0]


def _made(
    cells: Sequence[Cell], notes: Sequence[str] = (), problem: str | None = None
) -> NotebookNode:
    made = [new_cell(cell.kind, cell.source, _marks(cell.id)) for cell in cells]
    facts: Mapping[str, object] = {"notes": list(notes)} | ({"problem": problem} if problem else {})
    nb: NotebookNode = new_notebook(cells=made, metadata={_FACTS: facts})
    return nb


def new_cell(kind: str, source: str, metadata: Mapping[str, Any]) -> NotebookNode:
    """A cell without outputs, as nbformat makes it; that validates each, nbgrader validates all."""
    code = {"outputs": [], "execution_count": None} if kind == "code" else dict[str, Any]()
    facts = {"id": uuid4().hex[:8], "cell_type": kind, "source": source, "metadata": metadata}
    made: NotebookNode = from_dict(facts | code)
    return made


def _marks(id_: str) -> Mapping[str, Any]:
    return {"nbgrader": {"grade_id": id_}} if id_ else {}


def _cell(cell: NotebookNode) -> Cell:
    id_ = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return Cell(cell.cell_type, cell.source, id_)


def _with_modules(work: Submission, folder: Path, course: Course) -> Submission:
    """Take modules where the notebook has no cell for them, or one that nobody wrote into."""
    if not folder.is_dir():
        return work
    reading = Reading(course.names)
    reading.add(OnDisk(folder))
    beside = reading.submission(work.id, work.path)
    if not beside.texts and not beside.problems:
        return work
    written = {name: text for name, text in work.texts.items() if is_written(text)}
    texts = {**work.texts, **beside.texts, **written}
    problems = {k: v for k, v in {**beside.problems, **work.problems}.items() if k not in texts}
    places = {k: v for k, v in work.places.items() if texts[k] is work.texts[k]}
    return replace(work, texts=texts, problems=problems, places=places)


def prepare(folder: Path, course: Course, student: str) -> int:
    """See that nbgrader finds something of everybody who handed in anything at all.

    nbgrader passes over a folder without a notebook. Somebody who handed in modules only gets the
    notebook that was released, as a copy.

    Returns:
        How many handed in anything.

    Raises:
        CourseError: nothing was handed in by these students.
    """
    places = sorted((folder / "submitted").glob(f"{student}/{course.name}"))
    if not places:
        raise CourseError(
            f"Nobody handed in anything that fits: {folder}/submitted/{student}/{course.name} "
            f"is not there."
        )
    released = folder / "release" / course.name / notebook.file_name(course)
    for place in places:
        if not any(place.glob("*.ipynb")) and released.is_file():
            shutil.copyfile(released, place / released.name)
    return len(places)


def before_conversion(assignment: str, student: str, notebooks: list[str]) -> None:  # noqa: ARG001
    """A hook of nbgrader's: give a notebook that was renamed its own name again, as a copy.

    Args:
        assignment: the assignment's name.
        student: the students that are graded, as a pattern.
        notebooks: the files of the one whose turn it is; a copy is added to them.
    """
    if not notebooks:
        return
    folder = Path(notebooks[0]).parent
    _take_out_links(folder)
    wanted = [file.name for file in Path("source", assignment).glob("*.ipynb")]
    if len(wanted) != 1:
        return
    place = folder / wanted[0]
    others = [Path(name) for name in notebooks if name != str(place)]
    if str(place) not in notebooks:
        notebooks.append(str(renamed(place, others)))
    elif any(other.is_file() and cmp(place, other, shallow=False) for other in others):
        renamed(place, others)  # an earlier run's copy; there may be something newer


def _take_out_links(folder: Path) -> None:
    """Remove links and pipes: nbgrader would follow the one, and wait for the other for ever."""
    for place in sorted(folder.rglob("*")):
        if place.is_symlink() or not (place.is_file() or place.is_dir()):
            place.unlink()
            _log().warning("%s was a link, or no ordinary file, and was taken out.", place)


def renamed(place: Path, candidates: Iterable[Path]) -> Path:
    """Copy the newest of a student's notebooks to the name that the assignment has."""
    files = [file for file in candidates if file.is_file()]
    if files:
        newest = max(files, key=lambda file: file.stat().st_mtime)
        shutil.copyfile(newest, place)
        _log().warning("%s was taken for %s.", newest, place.name)
    else:
        place.touch()  # it will be told that there is nothing to read
    return place


def _log() -> logging.Logger:
    return logging.getLogger("nbgrader")
