"""The report in a terminal: a line a stage, one failure in full, one command to run next."""

from __future__ import annotations

import bisect
import itertools
import math
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from rich.console import Console
from rich.text import Text

from ..course import Course, Stage
from ..hints import Hint
from ..record import Chain, CheckResult, Diagnosis, StageResult, Status, SubmissionResult
from . import costs

STYLES: Mapping[Status, str] = MappingProxyType(
    {
        Status.PASSED: "green",
        Status.FAILED: "red",
        Status.ERROR: "red",
        Status.NOT_STARTED: "dim",
        Status.NOT_SUBMITTED: "dim",
        Status.NOT_JUDGED: "yellow",
    }
)
Command: TypeAlias = Callable[[str, str], str]
"""How the reader runs a command on a stage: `command("check", "softmax")` gives the line."""
_AFTER = 5
"""Lines after a failure on a screen: what to do next, the progress, the shell's next line."""
_THINK = "\n\nTo think about:"
"""Where a diagnosis goes over from what is wrong to its question."""


def console() -> Console:
    """Where reports go: colour and lines only on a terminal that has them, and no NO_COLOR."""
    return Console(file=sys.stdout, highlight=False, soft_wrap=True)


def stage_line(course: Course, result: StageResult) -> Text:
    """One stage: its number, name, title, state and points."""
    number = course.names.index(result.stage) + 1
    state = result.status.value.replace("_", " ")
    line = Text(f"  {number} {result.stage:<11}{course.stage(result.stage).title:<35}")
    line.append(f"{state:<14}", STYLES[result.status])
    line.append(f"{result.points:>5g} of {result.max_judged:g}")
    return line


def show(out: Console, course: Course, result: SubmissionResult, command: Command) -> None:
    """Everything after the stages' lines.

    Args:
        out: where to print.
        course: the course.
        result: the judged submission.
        command: how the reader runs a command on a stage.
    """
    first = first_unfinished(result.stages)
    show_remarks(out, result.stages)
    _show_costs(out, result.stages)
    show_chain(out, result.chain)
    if first is not None:
        room = out.height - _AFTER - len(not_judged(result.stages)) if out.is_terminal else None
        _show_unfinished(out, course.stage(first.stage), first, command, room)
    else:
        out.print()
    _show_progress(out, course, result)


def first_unfinished(stages: Sequence[StageResult]) -> StageResult | None:
    """The stage to go on with: one that was begun and is not right yet, else the next to begin."""
    begun = (s for s in stages if s.status in {Status.FAILED, Status.ERROR})
    waiting = (s for s in stages if s.status in {Status.NOT_STARTED, Status.NOT_SUBMITTED})
    return next(begun, None) or next(waiting, None)


def show_hint(
    out: Console, hints: Sequence[Hint], number: int, again: str = "run the same command again"
) -> None:
    """One hint of a stage, and whether more are to come, and how to ask for them."""
    out.print(Text(hints[number].title, "bold"))
    out.print()
    _block(out, hints[number].text)
    left = len(hints) - number - 1
    more = f"{left} more: {again}." if left else "That was the last one."
    out.print(Text(f"\n{more}", "dim"))


def _show_unfinished(
    out: Console, stage: Stage, result: StageResult, command: Command, room: int | None
) -> None:
    if result.message or result.first_failure() is not None:
        out.print()
        show_wrong(out, result, room)
    out.print(_next_step(stage, result, command))


def show_wrong(out: Console, result: StageResult, room: int | None) -> None:
    """What is wrong with one stage: why nothing could be run, or its first failure.

    Args:
        out: where to print.
        result: the stage.
        room: how many lines there are for a failure; its numbers are cut where they are more.
    """
    failure = result.first_failure()
    if result.message:
        _block(out, result.message)
    elif failure is not None:
        _show_failure(out, failure, result, room)


def _show_failure(
    out: Console, failure: CheckResult, result: StageResult, room: int | None
) -> None:
    """The failed check, what is said of it, and its numbers unless they are in there already."""
    title = f"{result.stage}: {failure.title}"
    out.print(Text(title, "bold red"))
    said = _said(result.diagnosis)
    lines = _lines(said)
    if not _tells_the_line(said, failure.message):
        lines += ["", *_lines(failure.message)] if said else _lines(failure.message)
    if room is not None:
        lines = _fitted(lines, room - _height(title, out.width), out.width)
    out.print("\n".join(lines), markup=False)


def _fitted(lines: list[str], room: int, width: int) -> list[str]:
    """As many lines as there is room for, and one that tells of the others."""
    ends = [*itertools.accumulate(_height(line, width) for line in lines)]
    if ends[-1] <= room:
        return lines
    kept = bisect.bisect_right(ends, room - 1)
    return [*lines[:kept], f"    … {len(lines) - kept} lines more in a taller window"]


def _height(line: str, width: int) -> int:
    """How many lines of a terminal it takes."""
    return max(1, math.ceil(len(line) / width))


def _said(diagnosis: Sequence[Diagnosis]) -> str:
    """What two diagnoses at most say, and one question to think about: the first one's."""
    heads, questions = [], []
    for one in diagnosis[:2]:
        head, think, question = one.message.partition(_THINK)
        heads.append(head)
        questions.append(think + question.replace("\n\n", "\n"))
    return "\n\n".join(heads) + "".join(questions[:1])


def _tells_the_line(said: str, message: str) -> bool:
    """Whether it shows the learner's line where an exception came from, which ends a message."""
    return ", line " in said and message.rpartition("\n")[2].strip() in said


def _block(out: Console, text: str) -> None:
    """Print text two columns in."""
    out.print("\n".join(_lines(text)), markup=False)


def _lines(text: str) -> list[str]:
    """Text two columns in: indented lines as they are, the others as paragraphs."""
    found: list[str] = []
    for as_it_is, group in itertools.groupby(text.splitlines(), _keeps_its_lines):
        lines = list(group)
        found += lines if as_it_is else textwrap.wrap(" ".join(lines), 76)
    return [f"  {line}".rstrip() for line in found]


def _keeps_its_lines(line: str) -> bool:
    return line.startswith((" ", "-", "*", "To read:")) or not line


def _next_step(stage: Stage, result: StageResult, command: Command) -> Text:
    verbs = {
        Status.NOT_STARTED: f"Begin with {stage.name}.py (about {stage.minutes} minutes)",
        Status.NOT_SUBMITTED: f"{stage.name}.py is missing",
    }
    wrong = failed(result)
    verb = verbs.get(result.status, f"Mend {stage.name}.py{f' ({wrong})' if wrong else ''}")
    then = command("check", stage.name)
    hint = command("hint", stage.name)
    if result.status is Status.NOT_SUBMITTED:
        then = command("reset", stage.name)
    return Text.assemble(
        "\n",
        (verb, "bold"),
        ", then:  ",
        (then, "bold cyan"),
        "\n",
        ("Stuck? ", "dim"),
        (hint, "dim cyan"),
        ("  gives one hint.", "dim"),
    )


def failed(result: StageResult) -> str:
    """How many checks of a stage failed, where it is more than the one that is shown."""
    wrong = sum(check.status in {Status.FAILED, Status.ERROR} for check in result.checks)
    return f"{wrong} checks fail" if wrong > 1 else ""


def show_remarks(out: Console, stages: Sequence[StageResult]) -> None:
    """What passed checks remark, at no cost."""
    for stage in stages:
        for check in stage.checks:
            if check.status is Status.PASSED and check.message:
                out.print()
                _block(out, f"A remark on {stage.stage}, at no cost: {check.message}")


def _show_costs(out: Console, stages: Sequence[StageResult]) -> None:
    for stage in stages:
        if costs.tells(stage.cost):
            out.print()
            _block(out, f"{stage.stage}: {costs.TITLE}\n\n{costs.text(stage.cost)}")


def show_chain(out: Console, chain: Chain) -> None:
    """What is wrong with the stages run one after the other; nothing where nothing is."""
    if chain.status in {Status.FAILED, Status.ERROR}:
        out.print()
        _block(out, f"Your stages one after the other: {chain.message}")


def _show_progress(out: Console, course: Course, result: SubmissionResult) -> None:
    passed = sum(s.status is Status.PASSED for s in result.stages)
    filled = round(24 * result.points / result.max_points) if result.max_points else 0
    bar = Text("[") + Text("#" * filled, "green") + Text("-" * (24 - filled), "dim") + Text("]")
    total = f" {result.points:g} of {result.max_judged:g} points"
    scope = "" if len(result.stages) == len(course.stages) else " named"
    count = f"; {passed} of {len(result.stages)}{scope} stages passed."
    out.print(bar + Text(total + count))
    for reason, points in not_judged(result.stages).items():
        out.print(Text(f"{points:g} points not judged here: {reason}.", "yellow"))


def not_judged(stages: Sequence[StageResult]) -> dict[str, float]:
    """What could not be judged on this machine: reason to points."""
    found: dict[str, float] = {}
    for stage in stages:
        for check in stage.checks:
            if check.status is Status.NOT_JUDGED:
                found[check.reason] = found.get(check.reason, 0) + check.max_points
    return found
