"""`check`, as the notebook's test cells call it: the public verdict on what the notebook holds.

It reads the text of the cells that were run, not the objects that they made, so it judges what
would be handed in. Where no cell defines a stage's functions, the module that lies beside the
notebook counts.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from .. import check as checks
from .. import course as courses
from .. import stage_page
from ..course import Course, CourseError
from ..intake.cells import Cell, modules
from ..intake.places import told_by_cells
from ..record import Status, SubmissionResult
from ..submission import Submission, read_folder

PUBLIC = ("public",)


class NotRight(Exception):
    """How a test cell tells nbgrader that nothing of a stage is right yet."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback, which would be one of ours."""
        return [str(self)]


def check(stage: str = "") -> float | None:
    """Judge one stage of this notebook, or all of them one after the other.

    What is wrong is shown below the cell. Under nbgrader the points come back as well, as a plain
    float, since nbgrader reads them from there.

    Args:
        stage: the stage's name; all stages if there is none.

    Raises:
        NotRight: under nbgrader only: nothing of the stage is right.
    """
    try:
        course = courses.load(_root())
        chosen = [course.stage(stage)] if stage else list(course.stages)
    except CourseError as error:
        print(error)  # noqa: T201 - to whoever runs the cell
        return None
    work = _handed_in(course)
    record = checks.check(course, work, chosen, lambda _: None, PUBLIC)
    result = told_by_cells(record.submissions[0], work.places, course.titles)
    _show(course, result, stage)
    return _for_nbgrader(course, result) if stage and "NBGRADER_EXECUTION" in os.environ else None


def _root() -> Path:
    """The course's folder: where the notebook found it, or where this package lies."""
    places = [Path(folder) for folder in sys.path if folder]
    places.append(Path(__file__).parents[2])
    return next((place for place in places if (place / "course.toml").is_file()), Path.cwd())


def _handed_in(course: Course) -> Submission:
    made = modules(_cells_run(), stage_page.functions(course))
    beside = read_folder(Path.cwd(), course.names)
    texts = {**beside.texts, **made.texts}
    problems = {name: text for name, text in beside.problems.items() if name not in texts}
    files = {name: file for name, file in beside.files.items() if name not in made.texts}
    return Submission("notebook", str(Path.cwd()), texts, files, problems, made.places)


def _cells_run() -> list[Cell]:
    """The cells that were run in this kernel, in that order, as they were typed."""
    shell = _shell()
    history = getattr(getattr(shell, "history_manager", None), "input_hist_raw", [])
    return [Cell("code", source) for source in history if isinstance(source, str)]


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _show(course: Course, result: SubmissionResult, stage: str) -> None:
    from IPython.display import display

    from ..reports import notebook as report

    if not stage:
        html = report.chain_html(result, course)
        display({"text/html": html, "text/plain": result.chain.message}, raw=True)  # type: ignore[no-untyped-call]
        return
    html = report.stage_html(result, course, stage)
    figure = stage_page.read(course, stage).figure
    if figure and "NBGRADER_EXECUTION" not in os.environ:
        html += f"<details><summary>See it</summary>{report.figure_frame(figure)}</details>"
    text = report.stage_text(result, course, stage)
    display({"text/html": html, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def _for_nbgrader(course: Course, result: SubmissionResult) -> float:
    """The stage's points, in proportion to what its public checks gave.

    nbgrader takes a plain number between 0 and the cell's points as partial credit, an error as
    none, and anything else as full marks.
    """
    [stage] = result.stages
    worth = course.stage(stage.stage).points
    possible = sum(c.max_points for c in stage.checks if c.status is not Status.NOT_JUDGED)
    if not stage.points or not possible:
        raise NotRight(f"{stage.stage}: {stage.status.value.replace('_', ' ')}.")
    return float(worth * stage.points / possible)
