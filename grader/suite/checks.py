"""A check: a test function, what its mark says of it, and what came of running it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ..course import CourseError, Stage
from ..record import CheckResult, Status


@dataclass(frozen=True)
class Check:
    """What is fixed about a check before anything runs."""

    id: str
    title: str
    points: float
    seconds: float
    hidden: bool
    timed: bool
    """Whether it times the submission, so that every answer must be waited for."""

    def result(self, status: Status, message: str = "", reason: str = "") -> CheckResult:
        """The check's verdict as a row of the record."""
        points = self.points if status is Status.PASSED else 0
        return CheckResult(
            self.id, self.title, self.hidden, status, points, self.points, message, reason
        )


def read(item: pytest.Item, stage: Stage) -> Check:
    """Read a check off a collected test.

    Raises:
        CourseError: the test has no mark, or a mark that does not say what a check must.
    """
    mark = item.get_closest_marker("check")
    if mark is None or len(mark.args) != 1 or "points" not in mark.kwargs:
        raise CourseError(
            f"{item.path.name}, {item.name}: a check is marked "
            '@pytest.mark.check("title", points=…), with seconds=… if it needs its own limit.'
        )
    name = item.name.removeprefix("test_")
    return Check(
        id=f"{stage.name}.{name}",
        title=mark.args[0],
        points=mark.kwargs["points"],
        seconds=mark.kwargs.get("seconds", stage.seconds),
        hidden=is_hidden(item.path),
        timed="ratios" in getattr(item, "fixturenames", ()),
    )


def is_hidden(file: Path) -> bool:
    """Whether a suite's file is one that students never see."""
    return file.parent.name == "hidden"
