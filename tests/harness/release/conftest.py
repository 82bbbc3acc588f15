"""The bundle, made once."""

import os
from pathlib import Path

import pytest

from grader import course as courses
from grader.release.bundle import Files, bundle
from grader.release.writing import write
from harness.cli import ROOT


@pytest.fixture(scope="session")
def files() -> Files:
    """The bundle's files."""
    with pytest.MonkeyPatch.context() as patched:
        for name in [n for n in os.environ if n.startswith("COVERAGE_PROCESS")]:
            patched.delenv(name)  # a tracer doubles the time that the pages' own process takes
        return bundle(courses.load(ROOT))


@pytest.fixture
def unzipped(files: Files, tmp_path: Path) -> Path:
    """The bundle as a student has it."""
    folder, _ = write(files, tmp_path, "course")
    return folder
