"""A notebook's file as cells, however it comes: an old format, damaged, or with huge outputs.

Only cells are kept. Outputs, and whatever else a stranger's file holds, are dropped right away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..submission import MAX_BYTES, IntakeError, Submission
from .cells import Cell, modules

MAX_NOTEBOOK = 256 << 20
"""Bytes of a notebook that is read; its outputs may take most of them."""
MOST_CELLS = 2000
KINDS = ("code", "markdown", "raw")


@dataclass(frozen=True)
class Notebook:
    """A notebook's cells, and what had to be repaired to read them."""

    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()


def read(data: bytes) -> Notebook:
    """The cells of a notebook.

    Raises:
        IntakeError: nothing of it can be read; the message says why.
    """
    text = data.decode("utf-8-sig", errors="replace")
    notes = []
    try:
        tree = json.loads(text)
        found = list(_cells_of(tree))
        if "worksheets" in tree:
            notes.append("The notebook was in the old format 3.")
    except RecursionError:
        raise IntakeError("it is nested too deeply") from None
    except ValueError:
        found = list(_salvaged(text))
        if not found:
            raise IntakeError("it is no notebook: the file is damaged or of another kind") from None
        notes.append(f"The file was damaged; {len(found)} cells could be read.")
    if len(found) > MOST_CELLS:
        raise IntakeError(f"it has more than {MOST_CELLS} cells")
    cells = tuple(cell for entry in found if (cell := _cell(entry)) is not None)
    if not cells:
        raise IntakeError("it holds no cells")
    return Notebook(cells, tuple(notes))


def submission(
    notebook: Notebook,
    functions: Mapping[str, Sequence[str]],
    id_: str,
    path: str,
    ignored: str = "check-",
) -> tuple[Submission, tuple[str, ...]]:
    """A notebook as a submission, and what there is to say of how it came in.

    Args:
        notebook: what was read.
        functions: each stage's functions, by its name, in the order of the course.
        id_: the student's.
        path: where it lies.
        ignored: what the ids of test cells begin with.
    """
    made = modules(notebook.cells, functions, ignored)
    problems = {
        stage: f"The cell of {stage} is longer than the {MAX_BYTES // 1024} KiB that are read."
        for stage, text in made.texts.items()
        if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES
    }
    texts = {stage: text for stage, text in made.texts.items() if stage not in problems}
    places = {stage: made.places[stage] for stage in texts}
    read_ = Submission(id_, path, texts, problems=problems, places=places)
    return read_, (*notebook.notes, *made.notes)


def _cells_of(tree: Any) -> Iterator[Any]:
    """The cells as they stand in the file; those of format 3 lie in worksheets."""
    if not isinstance(tree, dict):
        raise IntakeError("it is no notebook: it holds something else")
    yield from _listed(tree.get("cells"))
    for sheet in _listed(tree.get("worksheets")):
        if isinstance(sheet, dict):
            yield from _listed(sheet.get("cells"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_CELLS = re.compile(r'"cells"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")


def _salvaged(text: str) -> Iterator[Any]:
    """The cells of a broken file, up to where it breaks."""
    start = _CELLS.search(text)
    if not start:
        return
    decoder, at = json.JSONDecoder(), start.end()
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        try:
            cell, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield cell


def _cell(entry: Any) -> Cell | None:
    """One cell; what is no cell is passed over. Headings were cells of their own in format 3."""
    if not isinstance(entry, dict):
        return None
    kind = entry.get("cell_type")
    source = entry.get("source", entry.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return None
    source = source.replace("\0", "\ufffd")
    metadata = entry.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    id_ = marks.get("grade_id") if isinstance(marks, dict) else None
    known = str(kind) if kind in KINDS else "markdown"
    return Cell(known, source, id_ if isinstance(id_, str) else "")
