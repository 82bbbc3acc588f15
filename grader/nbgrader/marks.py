"""From a judged submission to nbgrader's marks: a number, whether a person must look, a comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from textwrap import indent
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from ..course import Course
from ..record import StageResult, Status, SubmissionResult
from ..reports import notebook as report
from ..reports.pages import blocks
from ..reports.redacted import for_student
from ..reports.words import UNFINISHED, points, reasons, sentence
from .notebook import CHECK


@dataclass(frozen=True)
class Mark:
    """What the gradebook gets of one stage.

    Attributes:
        score: points; None where nothing could be judged.
        by_hand: whether a person has to complete it.
        comment: in Markdown, for the student.
        html: what stands below the test cell.
        text: the same in plain text.
    """

    score: float | None
    by_hand: bool = False
    comment: str = ""
    html: str = ""
    text: str = ""

    def save(self, grade: Any) -> None:
        """Put it into the gradebook's row; what a person gave stays, and asks to be looked at."""
        grade.auto_score = self.score
        grade.needs_manual_grade = self.by_hand or grade.manual_score is not None


def of(result: SubmissionResult, course: Course) -> dict[str, Mark]:
    """Each stage's mark, by the stage's name."""
    alone = (replace(result, stages=(stage,)) for stage in result.stages)
    return {one.stages[0].stage: _mark(one, course) for one in alone}


def unjudged(course: Course, why: str) -> dict[str, Mark]:
    """The marks of a submission that the grader failed on: a person has to see to it."""
    comment = "It could not be judged, for a reason that is not yours. It will be looked at."
    text = f"{comment} ({why})"
    return {
        name: Mark(None, True, comment, f"<p>{escape(text)}</p>", text) for name in course.names
    }


def show(cell: NotebookNode, marks: Mapping[str, Mark]) -> None:
    """Put a mark below its test cell, so that nbgrader's own reading of it gives the same points.

    nbgrader reads the first result that is a plain number. It has no way to say that something was
    not judged; that a person must look stands in the gradebook.
    """
    id_ = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    mark = marks.get(id_.removeprefix(CHECK)) if id_.startswith(CHECK) else None
    if mark is None or cell.cell_type != "code":
        return
    cell.outputs = [
        new_output("display_data", {"text/html": mark.html, "text/plain": mark.text}),
        new_output("execute_result", {"text/plain": repr(float(mark.score or 0))}),
    ]


def _mark(result: SubmissionResult, course: Course) -> Mark:
    """The mark of the one stage that a result holds."""
    [stage] = for_student(result).stages
    unjudged_points = stage.max_points - stage.max_judged
    nothing = stage.status is Status.NOT_JUDGED
    notes = [note for note in result.notes if stage.stage in note] or list(result.notes)
    return Mark(
        score=None if nothing else _within(stage.points, stage.max_points),
        by_hand=unjudged_points > 0,
        comment=_comment(stage, notes),
        html=report.stage_html(result, course, stage.stage, notes),
        text=report.stage_text(result, course, stage.stage),
    )


def _within(gained: float, most: float) -> float:
    """Points as nbgrader takes them: a sum of floats may be a hair too large."""
    return float(min(max(round(gained, 6), 0.0), most))


def _comment(stage: StageResult, notes: list[str]) -> str:
    """The sentence, what was not judged, and what was repaired, as Markdown without HTML."""
    said = [sentence(stage)] if stage.status in UNFINISHED else []
    unjudged_points = stage.max_points - stage.max_judged
    if unjudged_points:
        why = "; ".join(reasons(stage.checks)) or "no reason was given"
        said.append(f"{points(unjudged_points)} points were not judged: {why}.")
    parts = (part for text in [*said, *notes] for part in _parts(text))
    return "\n\n".join(escape(part, quote=False) for part in parts)


def _parts(text: str) -> Iterator[str]:
    r"""Prose as it is; numbers and code as Markdown has them, four spaces in.

    >>> list(_parts("Not right:\n  1  2\n  3  4"))
    ['Not right:', '    1  2\n    3  4']
    """
    for block in blocks(text):
        yield indent(block.text, " " * 4) if block.as_is else block.text
