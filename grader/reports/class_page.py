"""The class page: what an instructor's class understands, on one HTML file without names."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from ..course import Course
from ..record import Isolation, Status
from .pages import policy, render
from .summary import CheckTally, ClassSummary, Mistake
from .words import points

NEARLY_ALL = 0.8
"""The share of submissions from which on a check counts as failed by nearly all."""
SHOWN = 12
"""Mistakes that are shown with their sentence; the others are listed."""
BINS = 10


@dataclass(frozen=True)
class Standing:
    """One stage: how many submissions stand where."""

    number: int
    title: str
    total: int
    counts: tuple[tuple[Status, int], ...]


@dataclass(frozen=True)
class Bin:
    """A range of points and how many submissions lie in it."""

    label: str
    count: int
    share: float
    """Of the fullest bin: the length of the bar, from 0 to 1."""


def class_page(summary: ClassSummary, course: Course, isolation: Isolation) -> str:
    """The page of a class; it can be shown to the class, as it holds no name and no hidden text."""
    ranked = sorted(summary.mistakes.values(), key=_commonest)
    return render(
        "class.html",
        course=course,
        summary=summary,
        titles=course.titles,
        standings=list(_standings(summary, course)),
        middle=_middle(summary),
        bins=bins(summary, course.points),
        mistakes=ranked[:SHOWN],
        rarer=ranked[SHOWN:],
        hard=sorted(_hard(summary), key=lambda check: -check.failed / check.judged),
        late=[(name, summary.late[name]) for name in course.names if summary.late[name]],
        isolation=isolation,
        policy=policy(),
    )


def _commonest(mistake: Mistake) -> tuple[int, str]:
    return -mistake.count, mistake.id


def _standings(summary: ClassSummary, course: Course) -> Iterator[Standing]:
    for number, stage in enumerate(course.stages, 1):
        counts = summary.stages.get(stage.name)
        if counts:
            found = tuple((status, counts[status]) for status in Status if counts[status])
            yield Standing(number, stage.title, counts.total(), found)


def _middle(summary: ClassSummary) -> tuple[float, float] | None:
    """Mean and median of the points, where there is anything to take them of."""
    if not summary.submissions:
        return None
    values = sorted(summary.points.elements())
    return statistics.fmean(values), statistics.median(values)


def _hard(summary: ClassSummary) -> Iterator[CheckTally]:
    for check in summary.checks.values():
        if check.judged and check.failed >= NEARLY_ALL * check.judged:
            yield check


def bins(summary: ClassSummary, most: float) -> list[Bin]:
    """The distribution of points over ten equal ranges; full points lie in the last one."""
    width = most / BINS or 1  # a course may give no points at all
    counts = [0] * BINS
    for value, count in summary.points.items():
        counts[min(BINS - 1, int(value / width))] += count
    fullest = max(counts) or 1
    return [
        Bin(_label(i * width, (i + 1) * width, i == BINS - 1), count, count / fullest)
        for i, count in enumerate(counts)
    ]


def _label(low: float, high: float, last: bool) -> str:
    return f"{points(low)} to {points(high)}" if last else f"{points(low)} to under {points(high)}"
