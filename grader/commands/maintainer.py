"""For those who work on the course itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from .. import course as courses
from .learner import check
from .shared import MACHINERY, JsonFile, JunitFile, shown


def gpu(path: Path = Path("solutions"), json: JsonFile = None, junit: JunitFile = None) -> None:
    """Judge the stages that are timed, on this machine's accelerator; exit code 4 without one."""
    from ..devices import chain, hardware

    course = courses.load(Path.cwd())
    device = chain.found("accelerator")
    if device is None:
        typer.echo("PyTorch finds no accelerator on this machine, so nothing was run.", err=True)
        raise typer.Exit(MACHINERY)
    typer.echo(f"On {device} ({hardware.facts().get('name', 'name unknown')}).")
    check(path, [stage.name for stage in course.stages if stage.ratios], json, junit)


def make_stubs(
    check: Annotated[bool, typer.Option("--check", help="Only say whether they agree.")] = False,
) -> None:
    """Make all the stubs in exercises/ from solutions/, and the notebook."""
    from .. import stubs
    from ..nbgrader import notebook

    course = courses.load(Path.cwd())
    old = stubs.outdated({**stubs.wanted(course), **notebook.wanted(course)})
    if check and old:
        names = ", ".join(file.name for file in old)
        typer.echo(f"Not what solutions/ gives: {names}. Run: nox -s stubs")
        raise typer.Exit(1)
    for file in old if not check else ():
        kept = stubs.write_keeping(file, old[file])
        also = f", kept {shown(kept, course)}" if kept else ""
        typer.echo(f"wrote {shown(file, course)}{also}")
    if not old:
        typer.echo("All stubs agree with their solutions.")


COMMANDS: Mapping[str, Callable[..., None]] = {"gpu": gpu, "stubs": make_stubs}
