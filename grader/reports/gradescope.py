"""Gradescope's results.json, one submission a file.

Form: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format. No leaderboard.
A check that could not be judged has neither score nor status there, so Gradescope shows it as text:
it is not failed. An assignment's maximum is set in Gradescope; what is missing to it is told at the
top and in `extra_data`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..course import Course
from ..record import StageResult, Status, SubmissionResult
from .redacted import for_student
from .words import UNFINISHED, sentence, told, totals, verdict


def gradescope_results(result: SubmissionResult, course: Course) -> dict[str, Any]:
    """One submission in Gradescope's form, without what students may not read."""
    result = for_student(result)
    return {
        "score": result.points,
        "execution_time": result.seconds,
        "output": f"{totals(result)}.",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test for stage in result.stages for test in _tests(stage, course)],
        "extra_data": {
            "id": result.id,
            "digest": result.digest,
            "complete": result.complete,
            "max_judged": result.max_judged,
            "max_points": result.max_points,
        },
    }


def _tests(stage: StageResult, course: Course) -> Iterator[dict[str, Any]]:
    number = str(course.names.index(stage.stage) + 1)
    head = _entry(number, course.stage(stage.stage).title, stage)
    said = sentence(stage) if stage.status in UNFINISHED else f"{verdict(stage.status)}."
    # Points stand with the checks; a stage that has none stands for itself.
    score = {} if stage.checks else _score(stage.status, 0, stage.max_points)
    yield {**head, "output": said, **score}
    for place, check in enumerate(stage.checks, 1):
        score = _score(check.status, check.points, check.max_points)
        yield {**_entry(f"{number}.{place}", check.title, stage), "output": told(check), **score}


def _entry(number: str, name: str, stage: StageResult) -> dict[str, Any]:
    return {"number": number, "name": name, "tags": [stage.stage], "visibility": "visible"}


def _score(status: Status, score: float, max_score: float) -> dict[str, Any]:
    if status is Status.NOT_JUDGED:
        return {}
    outcome = "passed" if status is Status.PASSED else "failed"
    return {"score": score, "max_score": max_score, "status": outcome}
