"""The command `grade`: many submissions judged, told as they come, and published."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from .. import digest
from ..course import Course, CourseError, Stage
from ..intake import find
from ..record import Isolation, Record, Status, SubmissionResult, write
from ..reports.words import points, unjudged, verdict
from ..stage_page import functions
from . import jobs
from .basis import basis
from .judges import Judges
from .local import Entry, Judging, Run
from .publish import REPORTS, publish
from .store import Store
from .talk import Orders

STORE = "results.sqlite"


@dataclass(frozen=True)
class Wishes:
    """What the instructor asked for.

    Attributes:
        paths: submissions, folders of them, or bulk downloads.
        stages: the stages to judge.
        out: where reports and the store go; None for neither.
        json: where the record goes as well.
        store: URL of a database to keep results in, instead of a file in `out`.
        jobs: how many submissions at a time; 0 for as many as pay, see `jobs`.
        scheduler: of the cluster that judges; None for this machine alone.
        trust: whether submissions may run unconfined.
        regrade: whether to forget what was judged before.
    """

    paths: Sequence[Path]
    stages: Sequence[Stage]
    out: Path | None = None
    json: Path | None = None
    store: str | None = None
    jobs: int = 0
    trust: bool = False
    regrade: bool = False
    scheduler: str | None = None


def grade(course: Course, wishes: Wishes, out: Console) -> bool:
    """Judge what is not judged yet, and write the reports.

    Returns:
        Whether every submission could be judged.

    Raises:
        CourseError: the course, the store or this machine do not allow it; the message says why.
        Stopped: the cluster is gone.
        IntakeError: a path holds no submission.
    """
    with ExitStack() as stack:
        candidates = find(wishes.paths, functions(course), stack)
        store = stack.enter_context(Store(_place(wishes, stack)))
        seed = store.renew() if wishes.regrade else store.seed()
        names = tuple(stage.name for stage in wishes.stages)
        orders = Orders(str(course.root), names, seed, wishes.trust)
        judges = _judges(course, wishes, orders, len(candidates), out, stack)
        head = Record(course.name, digest.of_suites(course), seed, judges.isolation)
        suite = basis(course, wishes.stages, judges.isolation)
        _tell_isolation(out, head)
        with _Screen(out, len(candidates)) as screen:
            run = Run(store, judges, functions(course), suite, seed, screen.tell, course.titles)
            run.over(candidates)
        judges.close()
        _publish(course, wishes, head, run, out)
        return not run.failed


class _Judges(Judging, Protocol):
    isolation: Isolation


def _judges(
    course: Course, wishes: Wishes, orders: Orders, number: int, out: Console, stack: ExitStack
) -> _Judges:
    """What judges: processes of this machine, or the workers of a cluster."""
    head = f"{course.title}: {_submissions(number)}"
    if wishes.scheduler is None:
        at_a_time = jobs.number(wishes.jobs, number, os.cpu_count() or 1)
        out.print(f"{head}, {at_a_time} at a time.")
        return stack.enter_context(Judges(orders, at_a_time))
    try:
        from .cluster.opening import opened
    except ImportError as error:
        raise CourseError(f"--scheduler needs more: pip install '.[cluster]' ({error}).") from None
    out.print(f"{head}, on the cluster {wishes.scheduler}.")
    return opened(
        wishes.scheduler,
        course,
        wishes.stages,
        orders,
        lambda text: out.print(Text(f"  {text}", "yellow")),
        stack,
    )


def _place(wishes: Wishes, stack: ExitStack) -> str:
    """Where results are kept: a database, a file among the reports, or nowhere for long."""
    folder = wishes.out
    if folder is None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    folder.mkdir(parents=True, exist_ok=True)
    return wishes.store or str(folder / STORE)


def _submissions(number: int) -> str:
    return f"{number} submission{'s' if number != 1 else ''}"


def _tell_isolation(out: Console, head: Record) -> None:
    isolation = head.isolation
    out.print(f"Confinement level {isolation.level}.")
    if isolation.not_enforced:
        out.print(Text(f"Not enforced here: {'; '.join(isolation.not_enforced)}.", "yellow"))


class _Screen:
    """A line a submission, and on a terminal a bar with the time left below them."""

    def __init__(self, out: Console, total: int) -> None:
        self._out = out
        self._bar = Progress(
            TextColumn("judging"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=out,
            disable=not out.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("", total=total)
        self._known = 0
        self._unjudged: dict[str, None] = {}

    def __enter__(self) -> _Screen:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        if self._known:
            self._out.print(f"{_submissions(self._known)} had been judged before.")
        if self._unjudged:
            reasons = "; ".join(self._unjudged)
            told = f"Not every point could be judged here: {reasons}."
            self._out.print(Text(told, "yellow"))

    def tell(self, entry: Entry, result: SubmissionResult, known: bool) -> None:
        """Show one submission; one that an earlier run had judged is only counted."""
        self._bar.advance(self._task)
        self._unjudged |= dict.fromkeys(unjudged(result))
        if known:
            self._known += 1
            return
        self._out.print(Text(_line(result)))
        for note in entry.notes:
            self._out.print(Text(f"    {entry.id}: {note}", "yellow"))


def _line(result: SubmissionResult) -> str:
    """A submission in a line: points, and the stages that did not pass."""
    of = f"{points(result.points):>5} of {points(result.max_judged)}"
    stages = (stage for stage in result.stages if stage.status is not Status.PASSED)
    rest = ", ".join(f"{stage.stage} {verdict(stage.status)}" for stage in stages)
    return f"  {result.id:<24} {of}  {rest}".rstrip()


def _publish(course: Course, wishes: Wishes, head: Record, run: Run, out: Console) -> None:
    if wishes.json is not None:
        write(head, run.results(), wishes.json)
    if wishes.out is not None:
        publish(wishes.out, course, head, run.results)
        out.print(Text(f"Reports are in {wishes.out}: {', '.join(REPORTS)}."))
    judged = len(run.entries) - len(run.failed)
    out.print(Text(f"{_submissions(judged)} judged.", "bold"))
    for id_, trouble in run.failed.items():
        out.print(Text(f"  {id_} could not be judged, as the grader failed: {trouble}", "red"))
    if run.failed:
        out.print("That says nothing about their work. Run the same command to try them again.")
