"""For instructors: grade many submissions, and the round trip with nbgrader."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from .. import course as courses
from .shared import INTERRUPTED, MACHINERY, JsonFile, stages_named


def grade(
    paths: Annotated[list[Path], typer.Argument(help="Submissions, folders, bulk downloads.")],
    out: Annotated[Path | None, typer.Option(help="Put reports and results here.")] = None,
    json: JsonFile = None,
    jobs: Annotated[int, typer.Option(min=0, help="How many at a time; 0: as many as pay.")] = 0,
    stage: Annotated[list[str] | None, typer.Option(help="Judge only this stage.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Judge on a Dask cluster: local:N, or tls://HOST:PORT.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="URL of a database for results.")] = None,
    trust_submissions: Annotated[
        bool, typer.Option("--trust-submissions", help="Run them even if unconfined.")
    ] = False,
    regrade: Annotated[bool, typer.Option("--regrade", help="Judge all of them afresh.")] = False,
) -> None:
    """Judge many submissions, confined; run it again to go on where it was stopped."""
    from ..batch.command import Wishes, grade
    from ..machinery import Stopped
    from ..reports import terminal

    course = courses.load(Path.cwd())
    chosen = stages_named(course, stage)
    wishes = Wishes(paths, chosen, out, json, store, jobs, trust_submissions, regrade, scheduler)
    try:
        complete = grade(course, wishes, terminal.console())
    except KeyboardInterrupt:
        kept = "Run the same command to go on." if out or store else "Nothing was kept: give --out."
        typer.echo(f"\nStopped. {kept}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except Stopped as reason:
        typer.echo(f"\n{reason}", err=True)
        raise typer.Exit(MACHINERY) from None
    raise typer.Exit(0 if complete else MACHINERY)


CourseFolder = Annotated[Path, typer.Argument(help="The course folder for nbgrader.")]
Student = Annotated[str, typer.Option(help="A student's id, or a pattern such as 'a*'.")]


def assignment(
    folder: CourseFolder = Path("gradebook"),
    modules: Annotated[
        bool, typer.Option("--modules", help="Students hand in modules beside a thin notebook.")
    ] = False,
) -> None:
    """Make a complete course folder for nbgrader: source, release, gradebook, settings."""
    _leave_out_grammar()
    from ..nbgrader import course_folder

    course = courses.load(Path.cwd())
    course_folder.make(course, folder, modules=modules)
    typer.echo(
        f"{folder} is ready. Hand out what is in {folder}/release/{course.name}; put what comes "
        f"back into {folder}/submitted/STUDENT/{course.name}, then run: nox -s autograde"
    )


def autograde(
    folder: CourseFolder = Path("gradebook"),
    student: Student = "*",
    jobs: Annotated[int, typer.Option(min=0, help="How many at a time; 0: as many as pay.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Also those that are graded.")] = False,
    trust_submissions: Annotated[
        bool, typer.Option("--trust-submissions", help="Run them even if unconfined.")
    ] = False,
) -> None:
    """Grade what was handed in, by nbgrader's own command with the confined engine in it."""
    _leave_out_grammar()
    from ..nbgrader import commands

    course = courses.load(Path.cwd())
    done = commands.autograde(
        course, folder, student=student, jobs=jobs, force=force, trust=trust_submissions
    )
    if not done:
        raise typer.Exit(MACHINERY)
    typer.echo(
        f"The marks are in {folder}/gradebook.db. Look at them with  nox -s formgrader; write the "
        "students' pages with  nox -s feedback"
    )


def feedback(
    folder: CourseFolder = Path("gradebook"),
    student: Student = "*",
    of_class: Annotated[bool, typer.Option("--class", help="The page of the class.")] = False,
) -> None:
    """Write a page for each student, or one of the whole class."""
    _leave_out_grammar()
    from ..nbgrader import commands

    course = courses.load(Path.cwd())
    if of_class:
        typer.echo(f"wrote {commands.class_page(course, folder)}")
        return
    if not commands.generate_feedback(course, folder, student=student):
        raise typer.Exit(MACHINERY)
    typer.echo(
        f"The pages are in {folder}/feedback/STUDENT/{course.name}. The page of the whole class:  "
        "nox -s feedback -- --class"
    )


def release(
    for_: Annotated[
        str | None, typer.Option("--for", help="A place where courses live; see the guide.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where it goes.")] = Path("dist"),
) -> None:
    """Make what students get, without solutions; or with --for what such a place wants."""
    from ..release.command import release

    course = courses.load(Path.cwd())
    for made in release(course, for_, out):
        typer.echo(f"wrote {made}")


def enter(
    record: Annotated[Path, typer.Argument(help="What `grade --json` wrote.")],
    gradebook: Annotated[str, typer.Argument(help="URL of a gradebook of nbgrader's.")],
) -> None:
    """Write the marks of a record into a gradebook of nbgrader's."""
    _leave_out_grammar()
    from .. import record as records
    from ..nbgrader import book

    course = courses.load(Path.cwd())
    number = book.save(course, gradebook, records.read(record).submissions)
    typer.echo(f"Wrote the marks of {number} submissions.")


def _leave_out_grammar() -> None:
    """Let nbgrader start in half the time.

    `jsonschema`, which it loads, reads a grammar of international addresses wherever one is
    installed. No notebook holds anything that would be checked by it.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


COMMANDS: Mapping[str, Callable[..., None]] = {
    "grade": grade,
    "assignment": assignment,
    "autograde": autograde,
    "feedback": feedback,
    "enter": enter,
    "release": release,
}
