"""The learner's own numbers for the figures, on the worked example.

Which quantities there are, and which figure shows which, is data: `tests/stages/mine.py` in the
course's folder.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .course import Course
from .machinery import MachineryError
from .subject import Subject
from .subject.protocol import Sources
from .submission import Submission
from .suite.verdict import told

if TYPE_CHECKING:
    from .judge import Open


@dataclass(frozen=True)
class Quantity:
    """One quantity of the figures: its name, the stage that makes it, and the call that does."""

    name: str
    stage: str
    compute: Callable[[Subject, Mapping[str, Any]], Any]
    """Takes the stage's subject and what is there so far, by name."""


def own_numbers(
    course: Course, submission: Submission, open_: Open, *, chained: bool = False
) -> Mapping[str, Mapping[str, Any]]:
    """What each figure shows of a learner's own work.

    Args:
        course: the course; empty numbers where it has no `tests/stages/mine.py`.
        submission: the learner's modules; a stage that is not there is left out.
        open_: makes a subject that limits time and keeps output by itself.
        chained: whether a stage is given the learner's own earlier quantities; else the right ones.

    Returns:
        Figure to the names of its quantities to tensors; where a call raised, to what it raised.
    """
    data = _data(course)
    if data is None:
        return {}
    given, found = dict(data.start()), {}
    for quantity in data.QUANTITIES:
        if quantity.stage in submission.texts:
            value = found[quantity.name] = _value(course, submission, open_, quantity, given)
            if chained and not isinstance(value, str):
                given[quantity.name] = value
    return {
        figure: {shown: found[name] for shown, name in names.items() if name in found}
        for figure, names in data.FIGURES.items()
    }


def makers(course: Course) -> Mapping[str, Mapping[str, str]]:
    """Which stages make what a figure shows: figure to its quantities to their stages."""
    data = _data(course)
    if data is None:
        return {}
    stages = {quantity.name: quantity.stage for quantity in data.QUANTITIES}
    return {
        figure: {shown: stages[name] for shown, name in names.items()}
        for figure, names in data.FIGURES.items()
    }


def pattern(course: Course) -> str:
    """The figure that a finished course shows; empty where the course has none."""
    data = _data(course)
    return data.PATTERN if data is not None else ""


def _data(course: Course) -> Any:
    file = course.root / "tests" / "stages" / "mine.py"
    if not file.is_file():
        return None
    spec = importlib.util.spec_from_file_location("stages.mine", file)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - it is a .py file
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _value(
    course: Course,
    submission: Submission,
    open_: Open,
    quantity: Quantity,
    given: Mapping[str, Any],
) -> Any:
    stage = replace(course.stage(quantity.stage), forbidden=())  # the suite refuses those
    names = (*course.before(stage.name), stage.name)
    texts = {name: submission.texts[name] for name in names if name in submission.texts}
    subject = open_(Sources(stage.name, texts, submission.files), stage)
    try:
        subject.begin(stage.seconds)
        return quantity.compute(subject, given)
    except (KeyboardInterrupt, MachineryError):
        raise
    except BaseException as error:  # noqa: BLE001 - a submission may raise anything, an exit too
        return told(error)
    finally:
        subject.close()
