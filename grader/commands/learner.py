"""For learners: judge, watch, ask for a hint, compare, begin afresh."""

from __future__ import annotations

import contextlib
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

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


def live(
    path: Path,
    site: Annotated[Path, typer.Option(help="The built site.")] = Path("docs/_build/html"),
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Serve the site, to this machine alone, with your own numbers in its figures."""
    from ..live import live

    def ready(address: str) -> None:
        typer.echo(f"Your own numbers are in the figures at\n\n    {address}\n\nCtrl-C ends it.")
        if open_:
            webbrowser.open(address)

    course = courses.load(Path.cwd())
    with contextlib.suppress(KeyboardInterrupt):
        live(course, path, site, ready)


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


def compare(
    stage: str,
    path: Path = Path("exercises"),
    reveal: Annotated[bool, typer.Option("--reveal", help="Show the solution now.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with the figure here.")] = None,
) -> None:
    """Show a stage of yours beside the reference: numbers, cost, time, code."""
    from ..compare import compare, page, show
    from ..reports import terminal

    course = courses.load(Path.cwd())
    found = compare(course, course.stage(stage), path, reveal=reveal)
    show(terminal.console(), found)
    if html is not None:
        html.write_text(page(course, found), encoding="utf-8")
        typer.echo(f"\nThe same with its figure is in {html}.")


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
    "live": live,
    "hint": hint,
    "compare": compare,
    "reset": reset,
}
