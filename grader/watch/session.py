"""A learner's session as state: what came in, what is known of each stage, what is shown."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from .. import hints
from ..course import Course, CourseError, Stage
from ..progress import Progress
from ..record import Chain, StageResult, Status
from ..reports import terminal
from ..reports.words import UNFINISHED
from ..standing import unjudgeable
from ..submission import read_folder
from .judges import Done, Judged, News, Trouble
from .screen import Frame, Show, of_stage

Ask = Callable[[Sequence[str]], int]
"""Asks for some stages to be judged; gives the request's id."""


class Session:
    """What `watch` knows.

    Args:
        course: the course.
        folder: the learner's modules.
        chosen: the stages to watch.
        ask: asks for a judgement, whose news come to `hear`.
    """

    def __init__(self, course: Course, folder: Path, chosen: Sequence[Stage], ask: Ask) -> None:
        self._course = course
        self._folder = folder
        self._chosen = [stage.name for stage in chosen]
        self._ask = ask
        self._progress = Progress.load(course)
        self._results: dict[str, StageResult] = {}
        self._chain = Chain(Status.NOT_JUDGED)
        self._page = ""
        self._waiting: list[str] = []
        self._request = 0
        self._since = 0.0
        self._view: Show = self._wrong
        self._judge(self._chosen)
        self.current = self._unfinished(self._chosen) or self._chosen[0]

    @property
    def judging(self) -> bool:
        """Whether a verdict is still to come."""
        return bool(self._waiting)

    def saved(self, stages: Sequence[str]) -> None:
        """The learner saved some stages."""
        self.current = stages[0]
        self._judge(stages)

    def press(self, key: str) -> bool:
        """The learner pressed a key; False if that ends the session."""
        act = {"h": self._hint, "n": self._next, "a": self._all, "r": self._again}.get(key.lower())
        if act is not None:
            act()
        return key.lower() != "q"

    def hear(self, news: News) -> None:
        """Something came back from a judgement.

        Raises:
            CourseError: the suites cannot be used.
        """
        if isinstance(news, Trouble):
            raise CourseError(news.text)
        if news.id != self._request:
            return
        if isinstance(news, Judged):
            self._results[news.stage.stage] = news.stage
            self._waiting.remove(news.stage.stage)
        elif isinstance(news, Done):
            self._chain, self._page = news.result.chain, news.page
        elif self._waiting:
            self._ended(news.code)
        self._keep()

    def frame(self) -> Frame:
        """The screen as it has to be now."""
        return Frame(
            self._course,
            self._results,
            self.current,
            status=self._status(),
            show=self._view,
            more=f"nox -s check -- {self.current}",
            old=self.judging,
            note=f"A save in {self._folder.name}/ is judged at once; r does it by hand.",
        )

    def _judge(self, stages: Sequence[str]) -> None:
        """Judge some stages; what reading a file can tell is known at once."""
        submission = read_folder(self._folder, self._course.names)
        self._waiting = []
        for name in stages:
            told = unjudgeable(submission, self._course.stage(name))
            if told is None:
                self._waiting.append(name)
            else:
                self._results[name] = told
        self._view, self._since = self._wrong, time.monotonic()
        self._request = self._ask(tuple(self._waiting)) if self._waiting else 0
        self._keep()

    def _ended(self, code: int) -> None:
        """The process ended without a verdict: the stage that it was at is to blame."""
        stage = self._course.stage(self._waiting[0])
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        told = (
            f"{stage.name}.py ended the process that ran it ({how}). Does it call exit, or does "
            "something in it crash the interpreter?"
        )
        self._results[stage.name] = StageResult(
            stage.name, Status.ERROR, stage.points, message=told
        )
        self._waiting = []

    def _keep(self) -> None:
        self._progress.note(self._results.values())
        self._progress.save(self._course)

    def _unfinished(self, names: Sequence[str]) -> str | None:
        """The stage to go on with: one that was begun first, then one that was not."""
        known = [self._results[name] for name in names if name in self._results]
        found = terminal.first_unfinished(known)
        return found.stage if found else None

    def _hint(self) -> None:
        found = hints.read(self._course, self.current)
        number = min(self._progress.hints.get(self.current, 0), len(found) - 1)
        self._progress.hints[self.current] = number + 1
        self._progress.save(self._course)
        self._view = lambda out: terminal.show_hint(out, found, number, again="press h again")

    def _next(self) -> None:
        at = self._chosen.index(self.current) + 1
        later = [*self._chosen[at:], *self._chosen[: at - 1]]
        open_ = (n for n in later if n in self._results and self._results[n].status in UNFINISHED)
        self.current = next(open_, self.current)
        self._view = self._wrong

    def _all(self) -> None:
        self._judge(self._chosen)
        self._view = self._table

    def _again(self) -> None:
        self._judge([self.current])

    def _status(self) -> Text:
        if self._waiting:
            seconds = int(time.monotonic() - self._since)
            waited = f" {seconds} s" if seconds else ""
            return Text(f"checking {self._waiting[0]} …{waited}", "yellow")
        known = self._results.get(self.current)
        return of_stage(known, self._course) if known else Text(self.current)

    def _wrong(self, out: Console) -> None:
        """What is wrong with the current stage, or where to go on."""
        known = self._results.get(self.current)
        if known is None:
            return
        terminal.show_wrong(out, known, out.height)
        if known.status is Status.NOT_STARTED:
            out.print(Text(f"  Open {self._folder.name}/{self.current}.py, write, and save."))
        elif known.status not in UNFINISHED:
            terminal.show_remarks(out, [known])
            self._onwards(out)

    def _onwards(self, out: Console) -> None:
        after = self._unfinished(self._chosen)
        if after is not None:
            text = f"  n goes on with {after}."
        elif self._page:
            text = f"  All done. What you have learned is in {self._page}."
        else:
            text = "  Nothing is left to do here. a judges all stages together."
        out.print(Text(text, "bold"))

    def _table(self, out: Console) -> None:
        for name in self._chosen:
            if name in self._results:
                out.print(terminal.stage_line(self._course, self._results[name]))
        terminal.show_chain(out, self._chain)
        out.print()
        if not self._waiting:
            self._onwards(out)
