"""Annotations for GitHub Actions: workflow commands that put a stage's sentence beside its line.

Form and escapes are those of `@actions/core` (packages/core/src/command.ts in actions/toolkit).
GitHub shows ten annotations of a kind in one step, so a stage makes one at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from ..course import Course
from ..record import StageResult, Status, SubmissionResult
from .redacted import for_student, printable
from .words import UNFINISHED, points, sentence

_COMMANDS = {Status.FAILED: "error", Status.ERROR: "error"}
"""The command for a state; what has not been begun is a `notice`."""


def in_actions(environment: Mapping[str, str]) -> bool:
    """Whether this process runs in GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def workflow_commands(result: SubmissionResult, course: Course) -> Iterator[str]:
    """One workflow command a line, for each stage that is not done. Print them to stdout."""
    folder = PurePath(printable(result.path))
    for stage in for_student(result).stages:
        if stage.status in UNFINISHED:
            yield _annotation(stage, course, folder / f"{stage.stage}.py")


def _annotation(stage: StageResult, course: Course, file: PurePath) -> str:
    gained = f"{points(stage.points)} of {points(stage.max_judged)}"
    fields = {
        "file": file.as_posix(),
        "line": _line(stage),
        "title": f"{course.stage(stage.stage).title}: {gained}",
    }
    joined = ",".join(f"{name}={_field(value)}" for name, value in fields.items())
    return f"::{_COMMANDS.get(stage.status, 'notice')} {joined}::{_data(sentence(stage))}"


def _line(stage: StageResult) -> str:
    """The line of the stage's module that the first failure names; the first line if none does."""
    failure = stage.first_failure()
    told = failure.message if failure else stage.message
    found = re.search(rf"\b{stage.stage}\.py, line (\d+)", told)
    return found[1] if found else "1"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
