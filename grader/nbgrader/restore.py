"""A submitted notebook put in order: every cell that nbgrader knows is there, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from nbformat import NotebookNode

from ..course import Course
from ..intake.cells import read_code
from ..stage_page import functions
from . import notebook
from .submitted import new_cell


@dataclass(frozen=True)
class Known:
    """One cell as the gradebook has it."""

    name: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    solution: bool
    points: float | None

    def metadata(self) -> dict[str, Any]:
        """The marks by which nbgrader knows the cell."""
        marks = {
            "grade_id": self.name,
            "grade": self.points is not None,
            "solution": self.solution,
            "locked": self.locked,
            "task": False,
            "checksum": self.checksum,
            "cell_type": self.cell_type,
            "schema_version": notebook.SCHEMA,
        }
        return marks if self.points is None else {**marks, "points": self.points}

    def made(self, source: str | None = None) -> NotebookNode:
        """The cell as nbgrader wants it, with the student's text where that counts."""
        own = self.source if self.locked or source is None else source
        return new_cell(self.cell_type, own, {"nbgrader": self.metadata()})


def known_cells(found: Any) -> dict[str, Known]:
    """The cells of a notebook of the gradebook, by their ids."""
    points = {cell.name: cell.max_score for cell in found.grade_cells}
    solutions = {cell.name for cell in found.solution_cells}
    return {
        cell.name: Known(
            cell.name,
            cell.cell_type,
            cell.source,
            cell.checksum,
            cell.locked,
            cell.name in solutions,
            points.get(cell.name),
        )
        for cell in found.source_cells
    }


def restored(
    cells: Sequence[NotebookNode], known: Mapping[str, Known], course: Course
) -> tuple[list[NotebookNode], list[str]]:
    """The cells in order, and what had to be done.

    Args:
        cells: what the student handed in, in their order.
        known: what the gradebook knows.
        course: gives the order in which missing cells are put back.
    """
    ids = _ids(cells, known, course)
    notes = [*_copies(cells, known), *_retyped(cells, ids, known), *_unmarked(cells, ids, known)]
    made = []
    for cell, id_ in zip(cells, ids, strict=True):
        if id_:
            made.append(_renewed(cell, known[id_]))
        else:
            cell.metadata.pop("nbgrader", None)
            made.append(cell)
    missing = [name for name in _order(course, known) if name not in ids]
    for name in missing:
        _put_back(made, known[name], course, known)
    wanted = [name for name in missing if known[name].solution or known[name].points is not None]
    if wanted:
        notes.append(f"Cells that were missing were put back: {', '.join(wanted)}.")
    return made, notes


def _copies(cells: Sequence[NotebookNode], known: Mapping[str, Known]) -> Iterator[str]:
    for name, number in Counter(_marked(cell, known) for cell in cells).items():
        if name and number > 1 and not known[name].locked:
            yield f"There were {number} cells of {name}; the last that is written counts."


def _retyped(
    cells: Sequence[NotebookNode], ids: Sequence[str], known: Mapping[str, Known]
) -> Iterator[str]:
    for cell, id_ in zip(cells, ids, strict=True):
        if id_ and known[id_].solution and cell.cell_type != known[id_].cell_type:
            kind = known[id_].cell_type
            yield f"The cell of {id_} was no {kind} cell any more; it was read as one."


def _unmarked(
    cells: Sequence[NotebookNode], ids: Sequence[str], known: Mapping[str, Known]
) -> Iterator[str]:
    found = [
        id_
        for cell, id_ in zip(cells, ids, strict=True)
        if id_ and known[id_].solution and not _marked(cell, known)
    ]
    if found:
        yield f"Cells that had lost their marks were told by what they hold: {', '.join(found)}."


def _ids(cells: Sequence[NotebookNode], known: Mapping[str, Known], course: Course) -> list[str]:
    """Which known cell each cell is; none is given twice, and the last that is written counts."""
    ids = [_marked(cell, known) for cell in cells]
    taken = set(ids)
    lost = {k.source.strip(): k.name for k in known.values() if k.locked and k.name not in taken}
    ids = [id_ or lost.get(cell.source.strip(), "") for id_, cell in zip(ids, cells, strict=True)]
    for number, name in _told_by_content(cells, ids, known, course):
        ids[number] = name
    return _once_each(cells, ids, known)


def _marked(cell: NotebookNode, known: Mapping[str, Known]) -> str:
    id_ = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return id_ if id_ in known else ""


def _told_by_content(
    cells: Sequence[NotebookNode], ids: Sequence[str], known: Mapping[str, Known], course: Course
) -> Iterator[tuple[int, str]]:
    """Answers that lost their marks: code by what it defines, text by what stands before it."""
    wanted = {name for name, cell in known.items() if cell.solution and name not in ids}
    free = [number for number, id_ in enumerate(ids) if not id_]
    for stage, names in functions(course).items():
        if stage in wanted:
            defining = [
                n for n in free if not read_code(n, cells[n].source).names.isdisjoint(names)
            ]
            written = [n for n in defining if read_code(n, cells[n].source).writes(names)]
            for number in (written or defining)[-1:]:
                free.remove(number)
                yield number, stage
    for question in course.questions:
        asked = f"ask-{question.name}"
        if question.name in wanted and asked in ids:
            after = ids.index(asked) + 1
            if after in free:
                yield after, question.name


def _once_each(
    cells: Sequence[NotebookNode], ids: Sequence[str], known: Mapping[str, Known]
) -> list[str]:
    chosen: dict[str, int] = {}
    for number, id_ in enumerate(ids):
        untouched = id_ in known and cells[number].source.strip() == known[id_].source.strip()
        if id_ and not (id_ in chosen and untouched):
            chosen[id_] = number
    return [id_ if chosen.get(id_) == number else "" for number, id_ in enumerate(ids)]


def _renewed(cell: NotebookNode, known: Known) -> NotebookNode:
    made = known.made(cell.source)
    if known.cell_type == "markdown" and "attachments" in cell:
        made.attachments = cell.attachments
    return made


def _put_back(
    made: list[NotebookNode], lost: Known, course: Course, known: Mapping[str, Known]
) -> None:
    """Put a missing cell behind the one that it follows in the course."""
    order = _order(course, known)
    before = set(order[: order.index(lost.name)])
    places = [n for n, cell in enumerate(made) if _marked(cell, known) in before]
    made.insert(max(places, default=-1) + 1, lost.made())


def _order(course: Course, known: Mapping[str, Known]) -> list[str]:
    return [name for name in _course_order(course) if name in known]


@cache
def _course_order(course: Course) -> tuple[str, ...]:
    return tuple(cell.id for cell in notebook.handed_out(course).cells)
