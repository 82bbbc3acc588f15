"""The pytest plugin: it reads the checks, hands them to the grader, and notes every verdict."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ..course import Course, CourseError
from ..machinery import MachineryError
from ..record import CheckResult
from ..subject.alarm import TimeIsUp, alarm, timeout
from . import checks, verdict
from .fixtures import CHECK, COURSE, FINDINGS, REMARKS, SEED, SUBJECT

if TYPE_CHECKING:
    from .session import Suites

VERDICT = pytest.StashKey[CheckResult]()
MACHINERY = pytest.StashKey[MachineryError]()


SIGNALS = hasattr(signal, "SIGALRM")
"""Whether pytest-timeout can interrupt a check; there is no such signal on Windows."""


def _unread(*_: object) -> str:
    """In place of a traceback with its source, which costs more than a check; nobody reads it."""
    return ""


class Silence:
    """Stands in for pytest's terminal: it explains asserts, and is told the threads' stacks."""

    @property
    def _tw(self) -> Silence:
        return self

    def write(self, *args: object, **kwargs: object) -> None:
        """Print nothing."""

    sep = line = write

    def _highlight(self, source: str, lexer: str = "python") -> str:  # noqa: ARG002 - pytest's
        """A comparison that a plain `assert` explains, without colours."""
        return source


class Plugin:
    """Runs `work` in place of pytest's own loop over the tests."""

    def __init__(self, course: Course, seed: str, work: Callable[[Suites], None]) -> None:
        self._course = course
        self._seed = seed
        self._work = work
        self.trouble: BaseException | None = None
        self._broken: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the mark, and keep the seed where the fixtures find it."""
        config.addinivalue_line("markers", "check(title, points, seconds): a check of a stage")
        config.stash[SEED] = self._seed
        config.stash[COURSE] = self._course
        config.pluginmanager.register(Silence(), "terminalreporter")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a suite that cannot be read."""
        if report.failed:
            self._broken.append(str(report.longrepr))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Read every check's mark; a check's limit becomes pytest-timeout's."""
        for item in items:
            check = checks.read(item, self._course.stage(item.path.stem))
            item.stash[CHECK] = check
            item.repr_failure = _unread  # type: ignore[assignment]
            if SIGNALS:
                item.add_marker(pytest.mark.timeout(check.seconds))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do the work; what it raises is kept for the caller, past pytest."""
        from .session import Suites  # the other direction is needed first

        try:
            if self._broken:
                raise CourseError("A suite cannot be read:\n" + "\n".join(self._broken))
            self._work(Suites(self._course, session))
        except BaseException as error:  # noqa: BLE001 - handed on as it is by the caller
            self.trouble = error
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        """Limit a check's time where pytest-timeout cannot: its other way ends the process."""
        if SIGNALS:
            return (yield)
        seconds = pyfuncitem.stash[CHECK].seconds
        try:
            with alarm(seconds):
                return (yield)
        except TimeIsUp as late:
            raise timeout(seconds, late) from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Forget what the check found out of the submission before this one."""
        item.stash[FINDINGS] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what a phase raised into a verdict; a failure in an earlier phase stays."""
        report = yield
        if call.excinfo is not None and isinstance(call.excinfo.value, MachineryError):
            item.stash.setdefault(MACHINERY, call.excinfo.value)
        elif call.excinfo is not None:
            printed = report.capstdout or item.config.stash[SUBJECT].output()
            failure = verdict.of_failure(item.stash[CHECK], call.excinfo, printed)
            item.stash.setdefault(VERDICT, replace(failure, **item.stash[FINDINGS]))
        elif call.when == "teardown":
            remarks = item.stash.get(REMARKS, [])
            success = verdict.of_success(item.stash[CHECK], remarks)
            item.stash.setdefault(VERDICT, replace(success, **item.stash[FINDINGS]))
        return report
