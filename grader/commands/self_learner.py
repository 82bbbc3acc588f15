"""For those who have the solutions as well: their own work beside them, and in the figures."""

from __future__ import annotations

import contextlib
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from .. import course as courses


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


COMMANDS: Mapping[str, Callable[..., None]] = {"compare": compare, "live": live}
