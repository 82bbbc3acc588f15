"""`check`, as the notebook's test cells call it: the public verdict on what the notebook holds.

It reads the text of the cells that were run, not the objects that they made, so it judges what
would be handed in. Where no cell defines a stage's functions, the module that lies beside the
notebook counts.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
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
_PACKAGES = {
    "numpy": "numpy",
    "torch": "torch",
    "pytest": "pytest",
    "pytest_timeout": "pytest-timeout",
    "jinja2": "jinja2",
    "markdown_it": "markdown-it-py",
}
"""What a check needs: modules, and what they are to be installed by."""


class Sentence(Exception):
    """Ends a test cell with a sentence; to nbgrader it means that nothing was right."""

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
        Sentence: nothing can be checked here; or, under nbgrader only, nothing is right.
    """
    _refuse_missing_packages()
    try:
        course = courses.load(_root())
        chosen = [course.stage(stage)] if stage else list(course.stages)
    except CourseError as error:
        raise Sentence(str(error)) from None
    work = _handed_in(course)
    record = checks.check(course, work, chosen, lambda _: None, PUBLIC)
    result = told_by_cells(record.submissions[0], work.places, course.titles)
    _show(course, result, stage)
    return _for_nbgrader(course, result) if stage and _nbgrader() else None


def _refuse_missing_packages() -> None:
    """Say what a kernel lacks; Colab's, say, knows torch and not pytest-timeout."""
    missing = " ".join(name for module, name in _PACKAGES.items() if find_spec(module) is None)
    if missing:
        raise Sentence(
            f"Checking needs what this kernel does not have: {missing}. Run this in a cell of "
            f"your own, then run this one again:\n\n    %pip install {missing}"
        )


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
    if figure and not _nbgrader():
        html += f"<details><summary>See it</summary>{report.figure_frame(figure)}</details>"
    text = report.stage_text(result, course, stage)
    display({"text/html": html, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def _nbgrader() -> str:
    """What nbgrader runs this notebook for: `autograde` or `validate`; empty if it does not."""
    return os.environ.get("NBGRADER_EXECUTION", "")


def _for_nbgrader(course: Course, result: SubmissionResult) -> float:
    """The stage's points, in proportion to what its public checks gave.

    nbgrader takes a plain number between 0 and the cell's points as partial credit, an error as
    none, and anything else as full marks. Of what fails, `validate` shows nothing but the error.
    """
    from ..reports import notebook as report

    [stage] = result.stages
    possible = sum(c.max_points for c in stage.checks if c.status is not Status.NOT_JUDGED)
    failed = stage.points < possible and _nbgrader() == "validate"
    if not stage.points or not possible or failed:
        raise Sentence(report.stage_text(result, course, stage.stage))
    return float(course.stage(stage.stage).points * stage.points / possible)
