"""What `watch` shows: one screen with the stages, one failure and its sentence, and the keys."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rich.console import Console
from rich.text import Text

from ..course import Course
from ..record import StageResult, Status
from ..reports.terminal import STYLES, failed
from ..reports.words import verdict

KEYS = "h hint   n next stage   a all stages   r run again   q quit"
SPARE = 2
"""Lines of a screen that give way to a failure: an empty one, and the note."""
WIDTH = 80
"""No line is made for more columns than this."""

SIGNS: Mapping[Status, str] = MappingProxyType(
    {Status.PASSED: "+", Status.FAILED: "-", Status.ERROR: "-", Status.NOT_JUDGED: "?"}
)
"""Before a stage's name, so that its state does not hang on a colour."""

Show = Callable[[Console], None]
"""Prints the middle of a screen."""


@dataclass(frozen=True)
class Frame:
    """One screen.

    Attributes:
        course: the course.
        results: what is known of each stage.
        current: the stage that is being worked on.
        status: what is going on, in a line.
        show: prints the rest, which is cut to the screen.
        more: the command that shows all of it.
        note: a line above the keys.
        old: whether the rest is about what was there before the last save.
    """

    course: Course
    results: Mapping[str, StageResult]
    current: str
    status: Text
    show: Show
    more: str
    note: str
    old: bool = False

    def lines(self, width: int, height: int) -> list[Text]:
        """Exactly the lines of a terminal of this size."""
        width = min(width, WIDTH)
        head = [self._title(width), self._stages(), Text(), self.status, Text()]
        foot = [Text(), Text(self.note, "dim"), Text(KEYS, "cyan")]
        body = printed(self.show, width, height - len(head) - len(foot) + SPARE)
        for line in body if self.old else ():
            line.stylize("dim")
        if len(body) > height - len(head) - len(foot):
            del head[2], foot[1]
        room = max(0, height - len(head) - len(foot))
        if len(body) > room:
            left = len(body) - room + 1
            body = [*body[: room - 1], Text(f"  … {left} lines more: {self.more}", "dim")]
        filled = [*head, *body, *[Text()] * (room - len(body)), *foot]
        for line in filled:
            line.truncate(width, overflow="ellipsis")
        return filled[:height]

    def _title(self, width: int) -> Text:
        passed = sum(result.status is Status.PASSED for result in self.results.values())
        right = f"{passed} of {len(self.course.stages)} stages passed"
        gap = max(1, width - len(self.course.title) - len(right))
        return Text.assemble((self.course.title, "bold"), " " * gap, right)

    def _stages(self) -> Text:
        """All stages in a line: their state as sign and colour, the current one underlined."""
        line = Text()
        for name in self.course.names:
            status = self.results[name].status if name in self.results else Status.NOT_STARTED
            style = STYLES[status] + (" bold underline" if name == self.current else "")
            line.append(SIGNS.get(status, " "), STYLES[status]).append(name, style).append("  ")
        return line


def printed(show: Show, width: int, height: int) -> list[Text]:
    """What a function prints on a console of this size, as lines with their styles."""
    file = io.StringIO()
    out = Console(
        file=file,
        width=width,
        height=max(1, height),
        force_terminal=True,
        highlight=False,
        soft_wrap=True,
    )
    show(out)
    whole = Text.from_ansi(file.getvalue().strip("\n"))
    found: list[Text] = []
    for line in whole.split("\n", allow_blank=True):
        found += line.wrap(out, width) or [Text()]
    return found if whole else []


def of_stage(result: StageResult, course: Course) -> Text:
    """One stage's verdict in a line."""
    stage = course.stage(result.stage)
    line = Text(f"{result.stage}: ").append(verdict(result.status), STYLES[result.status])
    if result.status is Status.NOT_STARTED:
        return line.append(f"; about {stage.minutes} minutes of work.")
    line.append(f", {result.points:g} of {result.max_judged:g} points")
    wrong = failed(result)
    return line.append(f"; {wrong}." if wrong else ".")
