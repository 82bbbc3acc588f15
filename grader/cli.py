"""The commands. Each reads its arguments, calls one module, and shows what came back.

Exit codes: 0 nothing judged failed; 1 a check failed or is still to be written; 2 the call is
wrong; 4 the machinery failed.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import traceback
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import course as courses
from .course import Course, CourseError, Stage
from .record import Record, Status
from .submission import IntakeError

if TYPE_CHECKING:
    from .reports import terminal

WRONG_CALL, MACHINERY, INTERRUPTED = 2, 4, 130

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)
Stages = Annotated[list[str] | None, typer.Argument(help="Stages by name; all of them if none.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the record here.")]
JunitFile = Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report here.")]


def main() -> None:
    """Run a command; whatever goes wrong ends in a sentence and an exit code."""
    try:
        app()
    except (CourseError, IntakeError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the reader's sentence
        sys.exit(WRONG_CALL)
    except Exception:  # noqa: BLE001 - the last resort: no traceback of ours on a learner's screen
        print(_kept_traceback(), file=sys.stderr)  # noqa: T201 - likewise
        sys.exit(MACHINERY)


def _kept_traceback() -> str:
    with tempfile.NamedTemporaryFile(
        "w", prefix="grader-error-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(traceback.format_exc())
    return (
        "The grader itself failed; your work is untouched. "
        f"What went wrong is written in {file.name}: please report it with that text."
    )


@app.callback()
def _commands() -> None:
    """Keep single commands reachable by name."""


@app.command()
def check(
    path: Path, stages: Stages = None, json: JsonFile = None, junit: JunitFile = None
) -> None:
    """Judge the modules in a folder, in this process, and say what to do next."""
    from . import check as checks
    from .reports import terminal
    from .submission import read_folder

    course = courses.load(Path.cwd())
    chosen = _chosen(course, stages)
    submission = read_folder(path, course.names)
    out = terminal.console()
    out.print(f"{course.title}: {path}\n")
    record = checks.check(
        course, submission, chosen, lambda stage: out.print(terminal.stage_line(course, stage))
    )
    terminal.show(out, course, record.submissions[0], _command_for(path))
    _write(course, record, json, junit)
    raise typer.Exit(_exit_code(record))


@app.command()
def gpu(path: Path = Path("solutions"), json: JsonFile = None, junit: JunitFile = None) -> None:
    """Judge the stages that are timed, on this machine's accelerator; exit code 4 without one."""
    from .devices import chain, hardware

    course = courses.load(Path.cwd())
    device = chain.found("accelerator")
    if device is None:
        typer.echo("PyTorch finds no accelerator on this machine, so nothing was run.", err=True)
        raise typer.Exit(MACHINERY)
    typer.echo(f"On {device} ({hardware.facts().get('name', 'name unknown')}).")
    check(path, [stage.name for stage in course.stages if stage.ratios], json, junit)


@app.command()
def watch(path: Path, stages: Stages = None) -> None:
    """Judge a stage whenever it is saved, from a process that is warm."""
    from .reports import terminal
    from .watch import watch

    course = courses.load(Path.cwd())
    watch(course, path, _chosen(course, stages), terminal.console())


@app.command()
def grade(
    paths: Annotated[list[Path], typer.Argument(help="Submissions, folders, bulk downloads.")],
    out: Annotated[Path | None, typer.Option(help="Put reports and results here.")] = None,
    json: JsonFile = None,
    jobs: Annotated[int, typer.Option(min=0, help="How many at a time; 0: all processors.")] = 0,
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
    from .batch.command import Wishes, grade
    from .machinery import Stopped
    from .reports import terminal

    course = courses.load(Path.cwd())
    chosen = _chosen(course, stage)
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


@app.command()
def assignment(
    folder: CourseFolder = Path("gradebook"),
    modules: Annotated[
        bool, typer.Option("--modules", help="Students hand in modules beside a thin notebook.")
    ] = False,
) -> None:
    """Make a complete course folder for nbgrader: source, release, gradebook, settings."""
    from .nbgrader import course_folder

    course = courses.load(Path.cwd())
    course_folder.make(course, folder, modules=modules)
    typer.echo(
        f"{folder} is ready. Hand out what is in {folder}/release/{course.name}; put what comes "
        f"back into {folder}/submitted/STUDENT/{course.name}, then run: nox -s autograde"
    )


@app.command()
def autograde(
    folder: CourseFolder = Path("gradebook"),
    student: Student = "*",
    jobs: Annotated[int, typer.Option(min=0, help="How many at a time; 0: all processors.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Also those that are graded.")] = False,
    trust_submissions: Annotated[
        bool, typer.Option("--trust-submissions", help="Run them even if unconfined.")
    ] = False,
) -> None:
    """Grade what was handed in, by nbgrader's own command with the confined engine in it."""
    from .nbgrader import commands

    course = courses.load(Path.cwd())
    done = commands.autograde(
        course, folder, student=student, jobs=jobs, force=force, trust=trust_submissions
    )
    raise typer.Exit(0 if done else MACHINERY)


@app.command()
def feedback(
    folder: CourseFolder = Path("gradebook"),
    student: Student = "*",
    of_class: Annotated[bool, typer.Option("--class", help="The page of the class.")] = False,
) -> None:
    """Write a page for each student, or one of the whole class."""
    from .nbgrader import commands

    course = courses.load(Path.cwd())
    if of_class:
        typer.echo(f"wrote {commands.class_page(course, folder)}")
        return
    done = commands.generate_feedback(course, folder, student=student)
    raise typer.Exit(0 if done else MACHINERY)


@app.command()
def live(
    path: Path,
    site: Annotated[Path, typer.Option(help="The built site.")] = Path("docs/_build/html"),
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Serve the site, to this machine alone, with your own numbers in its figures."""
    from .live import live

    def ready(address: str) -> None:
        typer.echo(f"Your own numbers are in the figures at\n\n    {address}\n\nCtrl-C ends it.")
        if open_:
            webbrowser.open(address)

    course = courses.load(Path.cwd())
    with contextlib.suppress(KeyboardInterrupt):
        live(course, path, site, ready)


@app.command()
def hint(stage: str) -> None:
    """Show the next hint of a stage: a question, then a property, then nearly the line."""
    from . import hints
    from .progress import Progress
    from .reports import terminal

    course = courses.load(Path.cwd())
    found = hints.read(course, stage)
    progress = Progress.load(course)
    number = min(progress.hints.get(stage, 0), len(found) - 1)
    terminal.show_hint(terminal.console(), found, number)
    progress.hints[stage] = number + 1
    progress.save(course)


@app.command()
def compare(
    stage: str,
    path: Path = Path("exercises"),
    reveal: Annotated[bool, typer.Option("--reveal", help="Show the solution now.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with the figure here.")] = None,
) -> None:
    """Show a stage of yours beside the reference: numbers, cost, time, code."""
    from .compare import compare, page, show
    from .reports import terminal

    course = courses.load(Path.cwd())
    found = compare(course, course.stage(stage), path, reveal=reveal)
    show(terminal.console(), found)
    if html is not None:
        html.write_text(page(course, found), encoding="utf-8")
        typer.echo(f"\nThe same with its figure is in {html}.")


@app.command()
def reset(stage: str) -> None:
    """Put a fresh stub into exercises/; what you wrote is kept beside it."""
    from . import stubs

    course = courses.load(Path.cwd())
    course.stage(stage)
    kept = stubs.renew(course, stage)
    where = f" What was there is kept in {_shown(kept, course)}." if kept else ""
    typer.echo(f"exercises/{stage}.py is a fresh stub.{where}")


@app.command("stubs")
def make_stubs(
    check: Annotated[bool, typer.Option("--check", help="Only say whether they agree.")] = False,
) -> None:
    """Make all the stubs in exercises/ from solutions/, and the notebook."""
    from . import stubs
    from .nbgrader import notebook

    course = courses.load(Path.cwd())
    old = stubs.outdated({**stubs.wanted(course), **notebook.wanted(course)})
    if check and old:
        names = ", ".join(file.name for file in old)
        typer.echo(f"Not what solutions/ gives: {names}. Run: nox -s stubs")
        raise typer.Exit(1)
    for file in old if not check else ():
        kept = stubs.write_keeping(file, old[file])
        also = f", kept {_shown(kept, course)}" if kept else ""
        typer.echo(f"wrote {_shown(file, course)}{also}")
    if not old:
        typer.echo("All stubs agree with their solutions.")


def _shown(file: Path, course: Course) -> str:
    return file.relative_to(course.root).as_posix()


def _chosen(course: Course, names: list[str] | None) -> list[Stage]:
    wanted = [course.stage(name).name for name in names or course.names]
    return [stage for stage in course.stages if stage.name in wanted]


def _command_for(path: Path) -> terminal.Command:
    """How the reader runs a command: through nox on the exercises, else as they just did."""

    def command(name: str, stage: str) -> str:
        if path.name == "exercises" or name != "check":
            return f"nox -s {name} -- {stage}"
        return f"python -m grader {name} {path} {stage}"

    return command


def _write(course: Course, record: Record, json: Path | None, junit: Path | None) -> None:
    if json is not None:
        record.write(json)
    if junit is not None:
        from .reports.junit import junit_xml

        junit.write_text(junit_xml(record, course), encoding="utf-8")
    from .reports import github

    if github.in_actions(os.environ):
        for line in github.workflow_commands(record.submissions[0], course):
            typer.echo(line)


def _exit_code(record: Record) -> int:
    fine = {Status.PASSED, Status.NOT_JUDGED}
    return int(any(s.status not in fine for r in record.submissions for s in r.stages))
