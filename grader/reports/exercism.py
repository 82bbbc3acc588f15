"""exercism's results.json, version 3, one submission a file.

Form: building/tooling/test-runners/interface.md in exercism/docs. A stage is a task. exercism knows
pass, fail and error only, so a check that could not be judged is left out: each of the three would
be untrue. Checks are given in their order, as the site shows a learner the first failure; that one
carries the diagnosis. There is no `test_code`: suites are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..course import Course
from ..record import StageResult, Status, SubmissionResult
from .redacted import for_student
from .words import sentence, told_with_diagnosis, totals, verdict

LIMIT = 65535
"""Bytes that the site keeps of a message."""

_STATUS: Mapping[Status, str] = {
    Status.PASSED: "pass",
    Status.FAILED: "fail",
    Status.ERROR: "error",
    Status.NOT_STARTED: "fail",
    Status.NOT_SUBMITTED: "fail",
}


def exercism_results(result: SubmissionResult, course: Course) -> dict[str, Any]:
    """One submission in exercism's form, without what students may not read."""
    result = for_student(result)
    tests = [test for stage in result.stages for test in _tests(stage, course)]
    status = _overall({test["status"] for test in tests})
    told = next((test["message"] for test in tests if "message" in test), f"{totals(result)}.")
    message = told if status == "error" else None
    return {"version": 3, "status": status, "message": message, "tests": tests}


def _overall(found: set[str]) -> str:
    """`error` is for a run in which no test came to a verdict."""
    if found <= {"error"}:
        return "error"
    return "pass" if found == {"pass"} else "fail"


def _tests(stage: StageResult, course: Course) -> Iterator[dict[str, Any]]:
    task = course.names.index(stage.stage) + 1
    for check in stage.checks:
        if check.status is not Status.NOT_JUDGED:
            yield _test(check.title, check.status, task, told_with_diagnosis(check, stage))
    if not stage.checks and stage.status in _STATUS:
        title = course.stage(stage.stage).title
        yield _test(title, stage.status, task, sentence(stage))


def _test(name: str, status: Status, task: int, message: str) -> dict[str, Any]:
    test = {"name": name, "status": _STATUS[status], "task_id": task}
    if status is Status.PASSED:
        return test
    return {**test, "message": _cut(message or verdict(status))}


def _cut(text: str) -> str:
    return text.encode()[:LIMIT].decode(errors="ignore")
