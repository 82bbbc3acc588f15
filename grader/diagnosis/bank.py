"""The bank of a stage: what each known mistake does on the diagnostic probes.

Where `tests/mistakes/<stage>.py` is there, its answers are run. A bundle for learners carries no
answers; it has what they did as data, `<stage>.json` and `<stage>.safetensors`, which `save`
writes: numbers and nothing that could run, in a format that is read several times as fast as `npz`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from safetensors.numpy import save as packed

from ..course import Course, Stage
from ..subject.in_process import InProcess
from ..subject.protocol import Sources
from ..suite.fixtures import generator
from .answers import Answer, Compound, Mistake
from .cells import Cell, Place
from .designs import Diagnostics
from .match import Known
from .observe import observe
from .splice import module_text, users

SEED = "public"
"""Diagnostic probes are the same in every run: what the bank did on them can be kept."""


@dataclass(frozen=True)
class Lesson:
    """What is told about a mistake."""

    sentence: str
    question: str
    read: str
    evidence: str


@dataclass(frozen=True)
class StageBank:
    """What is known about the wrong answers to one stage."""

    known: tuple[Known, ...]
    lessons: Mapping[str, Lesson]


def diagnostics(course: Course, stage: Stage) -> Diagnostics:
    """The calls and experiments by which a stage's mistakes are told apart.

    They are what `diagnostic` in the stage's probes makes. Where the stage's functions are not
    plain ones, `as_function` beside it says how its probes are called, and `STEPS` of what a longer
    formula is composed. A stage without such probes gets no diagnosis.
    """
    if not (course.root / f"tests/stages/probes/{stage.name}.py").is_file():
        return Diagnostics(())
    probes = stage_module(course, "stages.probes", stage)
    made = tuple(probes.diagnostic(generator(SEED, f"{stage.name}.diagnostic")))
    as_function = getattr(probes, "as_function", lambda subject: subject)
    return Diagnostics(made, as_function, getattr(probes, "STEPS", {}))


def stage_module(course: Course, kind: str, stage: Stage) -> ModuleType:
    """A stage's file of one kind: `mistakes`, `variants` or `stages.probes`."""
    with _on_path(course.root / "tests"):
        return import_module(f"{kind}.{stage.name}")


def load_bank(course: Course, stage: Stage) -> StageBank:
    """A stage's bank: run, or read from data; empty where there is neither."""
    folder = course.root / "tests/mistakes"
    if (folder / f"{stage.name}.py").is_file():
        return run_bank(course, stage)
    if (folder / f"{stage.name}.json").is_file():
        return read_bank(folder, stage)
    return StageBank((), {})


def run_bank(course: Course, stage: Stage, designs: Diagnostics | None = None) -> StageBank:
    """Observe every known mistake of a stage, by all of its diagnostics or by these."""
    module = stage_module(course, "mistakes", stage)
    designs = designs or diagnostics(course, stage)
    known = tuple(
        Known(answer.id, answer.replaces, _names(answer), _observed(course, stage, answer, designs))
        for answer in (*module.MISTAKES, *getattr(module, "COMPOUNDS", ()))
    )
    return StageBank(known, {mistake.id: _lesson(mistake) for mistake in module.MISTAKES})


def sources(course: Course, stage: Stage, answer: Answer) -> Sources:
    """A known answer as a submission: the solution with one function replaced."""
    texts = {
        name: (course.root / f"solutions/{name}.py").read_text(encoding="utf-8")
        for name in (*course.before(stage.name), stage.name)
    }
    texts[stage.name] = module_text(answer.source, answer.replaces, texts[stage.name])
    return Sources(stage.name, texts)


def save(bank: StageBank, folder: Path, stage: Stage) -> None:
    """Write a bank as data: `<stage>.json`, and its numbers as `<stage>.safetensors`."""
    arrays: dict[str, Any] = {}
    rows = [{**_row(known), "cells": list(_cells(known, arrays))} for known in bank.known]
    lessons = {id_: asdict(lesson) for id_, lesson in bank.lessons.items()}
    text = json.dumps({"known": rows, "lessons": lessons}, ensure_ascii=False, indent=1)
    (folder / f"{stage.name}.json").write_text(text, encoding="utf-8")
    (folder / f"{stage.name}.safetensors").write_bytes(packed(arrays))


def read_bank(folder: Path, stage: Stage) -> StageBank:
    """Read a bank that `save` wrote."""
    data = json.loads((folder / f"{stage.name}.json").read_text(encoding="utf-8"))
    arrays = load_file(folder / f"{stage.name}.safetensors")
    known = tuple(_known(row, arrays) for row in data["known"])
    lessons = {id_: Lesson(**lesson) for id_, lesson in data["lessons"].items()}
    return StageBank(known, lessons)


def _names(answer: Answer) -> tuple[str, ...]:
    return answer.parts if isinstance(answer, Compound) else (answer.id,)


def _lesson(mistake: Mistake) -> Lesson:
    return Lesson(mistake.sentence, mistake.question, mistake.read, mistake.evidence)


def _observed(
    course: Course, stage: Stage, answer: Answer, designs: Diagnostics
) -> dict[Place, Cell]:
    given = sources(course, stage, answer)
    subject = InProcess(given, stage.forbidden)
    try:
        of = users(given.texts[stage.name], answer.replaces)
        return dict(observe(subject, designs, of))
    finally:
        subject.close()


def _row(known: Known) -> dict[str, Any]:
    return {"id": known.id, "replaces": known.replaces, "names": known.names}


def _cells(known: Known, arrays: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells of one mistake; numbers go into `arrays`, and the cell keeps their key."""
    for place, cell in known.cells.items():
        row = {"place": list(place), **asdict(cell), "note": "", "array": None}
        if cell.array is not None:
            row["array"] = str(len(arrays))
            arrays[row["array"]] = np.array(cell.array, order="C")
        yield row


def _known(row: dict[str, Any], arrays: Mapping[str, Any]) -> Known:
    cells = {}
    for entry in row["cells"]:
        rest = {key: value for key, value in entry.items() if key not in {"place", "array"}}
        array = None if entry["array"] is None else arrays[entry["array"]]
        cells[Place(*entry["place"])] = Cell(**rest, array=array)
    return Known(row["id"], row["replaces"], tuple(row["names"]), cells)


@contextmanager
def _on_path(folder: Path) -> Iterator[None]:
    """Suites, probes and banks import each other from `tests/`."""
    import sys

    added = str(folder)
    sys.path.insert(0, added)
    try:
        yield
    finally:
        sys.path.remove(added)
