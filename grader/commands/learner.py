"""For learners: judge, watch, ask for a hint, begin afresh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import typer

from .. import course as courses
from .shared import JsonFile, JunitFile, Stages, command_for, exit_code, shown, stages_named, write


def check(path: Path, names: Stages = None, json: JsonFile = None, junit: JunitFile = None) -> None:
    """Judge the modules in a folder, in this process, and say what to do next."""
    from .. import check as checks
    from .. import standing
    from ..progress import Progress
    from ..reports import terminal
    from ..submission import read_folder

    course = courses.load(Path.cwd())
    chosen = stages_named(course, names)
    submission = read_folder(path, course.names)
    own = path.resolve() == course.root / "exercises"
    progress, out = Progress.load(course), terminal.console()
    out.print(f"{course.title}: {path}")
    if own and progress.passed:
        out.print(progress.greeting(course))
    out.print()
    record = checks.check(
        course, submission, chosen, lambda stage: out.print(terminal.stage_line(course, stage))
    )
    stages = record.submissions[0].stages
    terminal.show(out, course, record.submissions[0], command_for(path))
    if own:
        progress.note(stages)
        progress.save(course)
        if standing.finished(course, stages):
            from ..finished import written  # needs torch, which is loaded by now

            out.print(f"Finished: what you built and learned is in {written(course, submission)}.")
    write(course, record, json, junit)
    raise typer.Exit(exit_code(record))


def watch(path: Path, stages: Stages = None) -> None:
    """Judge a stage whenever it is saved, from a process that is warm."""
    from ..reports import terminal
    from ..watch import watch

    course = courses.load(Path.cwd())
    watch(course, path, stages_named(course, stages), terminal.console())


def hint(stage: str) -> None:
    """Show the next hint of a stage: a question, then a property, then nearly the line."""
    from .. import hints
    from ..progress import Progress
    from ..reports import terminal

    course = courses.load(Path.cwd())
    found = hints.read(course, stage)
    progress = Progress.load(course)
    number = min(progress.hints.get(stage, 0), len(found) - 1)
    terminal.show_hint(terminal.console(), found, number)
    progress.hints[stage] = number + 1
    progress.save(course)


def reset(stage: str) -> None:
    """Put a fresh stub into exercises/; what you wrote is kept beside it."""
    from .. import stubs

    course = courses.load(Path.cwd())
    course.stage(stage)
    kept = stubs.renew(course, stage)
    where = f" What was there is kept in {shown(kept, course)}." if kept else ""
    typer.echo(f"exercises/{stage}.py is a fresh stub.{where}")


COMMANDS: Mapping[str, Callable[..., None]] = {
    "check": check,
    "watch": watch,
    "hint": hint,
    "reset": reset,
}
