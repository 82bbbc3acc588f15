"""One pytest session for many submissions: suites are collected once and run again and again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ..course import Course, CourseError, Stage
from ..record import CheckResult
from ..subject import Subject
from . import fixtures
from .checks import Check
from .fixtures import CHECK, DRAWN, REFERENCE, REMARKS, SUBJECT
from .foreseen import Foreseen
from .plugin import MACHINERY, VERDICT, Plugin
from .probe import Probe

_OPTIONS = (
    "--import-mode=importlib",
    "--noconftest",
    "--strict-markers",
    "--capture=sys",
    "-pno:cacheprovider",
    "-pno:terminal",
    "-pno:logging",  # costs every check some handlers; what is logged still goes to stderr
    "-pno:unraisableexception",  # collects garbage after every test: slow beside torch
    "-pno:threadexception",
    "-ppytest_timeout",
)


class Suites:
    """The collected checks of a course."""

    def __init__(self, course: Course, session: pytest.Session) -> None:
        self.course = course
        self._config = session.config
        self._verdicts = Foreseen[CheckResult](MOST_VERDICTS)
        self._items: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            self._items.setdefault(item.path.stem, []).append(item)

    def worth(self, stage: str) -> float:
        """What the checks of a stage add up to."""
        return sum(item.stash[CHECK].points for item in self._items.get(stage, ()))

    def drawn(self, stage: str) -> dict[str, Sequence[Probe]]:
        """The probes that a stage's checks have drawn so far, by the name of their design."""
        drawn = self._config.stash.get(DRAWN, {})
        return {
            make.__name__: probes
            for (_, check, make), probes in drawn.items()
            if check.partition(".")[0] == stage
        }

    def checks(self, stage: str) -> list[Check]:
        """What is fixed about a stage's checks, in the order in which they run."""
        return [item.stash[CHECK] for item in self._items.get(stage, ())]

    def run(
        self, stage: str, subject: Subject, reference: Callable[[], Subject] | None = None
    ) -> tuple[CheckResult, ...]:
        """Judge one subject by every check of a stage; see `each`."""
        return tuple(self.each(stage, subject, reference))

    def each(
        self, stage: str, subject: Subject, reference: Callable[[], Subject] | None = None
    ) -> Iterator[CheckResult]:
        """Judge one subject check by check, for callers that may have seen enough.

        Args:
            stage: the stage's name.
            subject: the submission.
            reference: opens the reference, for checks that compare with it.
        """
        stash = self._config.stash
        stash[SUBJECT] = subject
        if reference is not None:
            stash[REFERENCE] = reference
        try:
            untimed = [check for check in self.checks(stage) if not check.timed]
            if untimed:
                longest = max(check.seconds for check in untimed)
                subject.look_ahead([check.id for check in untimed], longest)
            for item in self._items.get(stage, ()):
                yield self._judged(item, subject)
        finally:
            del stash[SUBJECT]
            if reference is not None:
                del stash[REFERENCE]

    def _judged(self, item: pytest.Item, subject: Subject) -> CheckResult:
        """A check's verdict; equal answers were judged before, and are not judged again."""
        check = item.stash[CHECK]
        if check.timed:
            return _run(item)
        return self._verdicts(subject, check.id, check.seconds, partial(_run, item))


KINDS = ("public", "hidden")
MOST_VERDICTS = 20_000
"""How many verdicts are kept; a class of right answers needs a hundred, and each is a kilobyte."""


def with_suites(
    course: Course,
    stages: Sequence[Stage],
    seed: str,
    work: Callable[[Suites], None],
    kinds: Sequence[str] = KINDS,
) -> None:
    """Collect the suites of some stages and do the work with them, inside one pytest session.

    Args:
        course: the course, whose folder holds the suites under `tests/stages/`.
        stages: the stages that will be judged.
        seed: what the hidden checks draw their inputs from.
        work: called once with the suites; what it raises is raised here.
        kinds: which suites to collect, of those that are there; `hidden` ones are not even read
            where only `public` ones are wanted.

    Raises:
        CourseError: a suite is missing or broken, or its points are not those of course.toml.
    """

    def checked(suites: Suites) -> None:
        if "hidden" in kinds:
            _refuse_wrong_points(suites, stages)
        work(suites)

    plugin = Plugin(course, seed, checked)
    args = [*_OPTIONS, f"-c{_config_file()}", f"--rootdir={course.root}"]
    args += [f"--override-ini=pythonpath={course.root / 'tests'}"]
    with _without_plugins_of_others():
        files = map(str, _files(course, stages, kinds))
        code = pytest.main([*args, *files], plugins=[plugin, fixtures])
    if plugin.trouble is not None:
        raise plugin.trouble
    if code not in _FINE:
        raise CourseError(f"pytest could not run the suites (exit code {int(code)}).")


def _files(course: Course, stages: Sequence[Stage], kinds: Sequence[str]) -> list[Path]:
    found = []
    for stage in stages:
        suites = [course.root / "tests/stages" / kind / f"{stage.name}.py" for kind in kinds]
        present = [file for file in suites if file.is_file()]
        if not present:
            raise CourseError(f"Stage {stage.name!r} has no suite: {suites[0]} is missing.")
        found += present
    return found


_FINE = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}


def _refuse_wrong_points(suites: Suites, stages: Sequence[Stage]) -> None:
    hidden = suites.course.root / "tests/stages/hidden"
    for stage in stages:
        worth = suites.worth(stage.name)
        if hidden.is_dir() and abs(worth - stage.points) > 1e-9:
            raise CourseError(
                f"Stage {stage.name!r}: its checks add up to {worth:g} points, and course.toml "
                f"says {stage.points:g}."
            )


def _run(item: pytest.Item) -> CheckResult:
    for key in _OF_EARLIER:
        if key in item.stash:
            del item.stash[key]
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    if MACHINERY in item.stash:
        raise item.stash[MACHINERY]  # no verdict on anybody's work
    return item.stash[VERDICT]


_OF_EARLIER: tuple[pytest.StashKey[Any], ...] = (VERDICT, REMARKS, MACHINERY)
"""What an item still holds of the submission before."""


def _config_file() -> Path:
    """An ini file of ours, so that no configuration of the surroundings has a say."""
    return Path(__file__).with_name("suites.ini")


@contextmanager
def _without_plugins_of_others() -> Iterator[None]:
    """Keep pytest from loading whatever plugins are installed: slow, and they may interfere."""
    name = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
