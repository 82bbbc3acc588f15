"""A pytest plugin: the suites as an ordinary run of pytest has them, on one submission.

    SUBMISSION=folder pytest -p grader.suite.fixtures -p bench.plain tests/stages/*/*.py

One process, the submission in it, pytest's own report; nothing of the grader's that saves time.
"""

import os
from pathlib import Path

import pytest

from grader import course as courses
from grader.judge import sources_of
from grader.subject.in_process import InProcess
from grader.submission import read_folder
from grader.suite import checks
from grader.suite.fixtures import CHECK, COURSE, FINDINGS, SEED, SUBJECT

ROOT = Path(__file__).parents[2]
_course = courses.load(ROOT)
_subjects: dict[str, InProcess] = {}


def pytest_configure(config: pytest.Config) -> None:
    """What the fixtures look for."""
    config.addinivalue_line("markers", "check(title, points, seconds): a check of a stage")
    config.stash[SEED], config.stash[COURSE] = "a seed of the bench", _course


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each check with its limit of time."""
    for item in items:
        item.stash[CHECK] = checks.read(item, _course.stage(item.path.stem))
        item.add_marker(pytest.mark.timeout(item.stash[CHECK].seconds))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The submission's stage, with the reference of the stages before as its siblings."""
    stage = _course.stage(item.path.stem)
    if stage.name not in _subjects:
        reference = read_folder(ROOT / "solutions", _course.names).texts
        submission = read_folder(Path(os.environ["SUBMISSION"]), _course.names)
        sources = sources_of(_course, reference, submission, stage)
        _subjects[stage.name] = InProcess(sources, stage.forbidden)
    item.stash[FINDINGS] = {}
    item.config.stash[SUBJECT] = _subjects[stage.name]
