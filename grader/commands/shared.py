"""What the commands of all audiences share."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..course import Course, Stage
from ..record import Record, Status

if TYPE_CHECKING:
    from ..reports import terminal

MACHINERY, INTERRUPTED = 4, 130
"""Exit codes: the machinery failed; the reader stopped it."""

Stages = Annotated[list[str] | None, typer.Argument(help="Stages by name; all of them if none.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the record here.")]
JunitFile = Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report here.")]


def shown(file: Path, course: Course) -> str:
    """A file as a path from the course's folder."""
    return file.relative_to(course.root).as_posix()


def stages_named(course: Course, names: list[str] | None) -> list[Stage]:
    """Stages by name, in the course's order; all of them if none is named."""
    wanted = [course.stage(name).name for name in names or course.names]
    return [stage for stage in course.stages if stage.name in wanted]


def command_for(path: Path) -> terminal.Command:
    """How the reader runs a command: through nox on the exercises, else as they just did."""

    def command(name: str, stage: str) -> str:
        if path.name == "exercises" or name != "check":
            return f"nox -s {name} -- {stage}"
        words = ["python", "-m", "grader", name, str(path), stage]
        return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)

    return command


def write(course: Course, record: Record, json: Path | None, junit: Path | None) -> None:
    """Write what was asked for, and tell GitHub Actions what failed."""
    if json is not None:
        record.write(json)
    if junit is not None:
        from ..reports.junit import junit_xml

        junit.write_text(junit_xml(record, course), encoding="utf-8")
    from ..reports import github

    if github.in_actions(os.environ):
        for line in github.workflow_commands(record.submissions[0], course):
            typer.echo(line)


def exit_code(record: Record) -> int:
    """0 where nothing that was judged failed, else 1."""
    fine = {Status.PASSED, Status.NOT_JUDGED}
    return int(any(s.status not in fine for r in record.submissions for s in r.stages))
