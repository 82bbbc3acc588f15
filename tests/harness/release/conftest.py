"""The bundle, made once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader import course as courses
from grader.course import Course, Stage
from grader.diagnosis import bank
from grader.diagnosis.answers import Answer
from grader.diagnosis.designs import Diagnostics
from grader.release.bundle import Files, bundle
from grader.release.writing import write
from harness import exhaustive
from harness.cli import ROOT
from harness.tracer import untrace

EVERY = 8
"""Of a stage's known mistakes, a run that is not whole bundles the first and each eighth."""


def sampled() -> Callable[..., Any]:
    """Runs some of a stage's known answers; a bundle holds no numbers of what does nothing."""
    run = bank._observed

    def observed(course: Course, stage: Stage, answer: Answer, designs: Diagnostics) -> Any:
        known = bank.stage_module(course, "mistakes", stage).MISTAKES
        chosen = exhaustive.whole() or answer in exhaustive.some(known, EVERY)
        return run(course, stage, answer, designs) if chosen else {}

    return observed


@pytest.fixture(scope="session")
def files() -> Files:
    """The bundle's files."""
    with pytest.MonkeyPatch.context() as patched:
        untrace(patched)  # tests of figures reach what the pages' own process does
        patched.setattr(bank, "_observed", sampled())
        return bundle(courses.load(ROOT))


@pytest.fixture
def unzipped(files: Files, tmp_path: Path) -> Path:
    """The bundle as a student has it."""
    folder, _ = write(files, tmp_path, "course")
    return folder
