"""`python -m grader`: the commands of every audience that this copy of the course is for.

Exit codes: 0 nothing judged failed; 1 a check failed or is still to be written; 2 the call is
wrong; 4 the machinery failed.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from importlib import import_module
from importlib.util import find_spec

import typer

from .commands.shared import MACHINERY
from .course import CourseError
from .submission import IntakeError

WRONG_CALL = 2
AUDIENCES = ("learner", "self_learner", "instructor", "maintainer")
"""Modules of `commands`; a bundle for students has only the first."""

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__
)


def main() -> None:
    """Run a command; whatever goes wrong ends in a sentence and an exit code."""
    try:
        _register()
        app()
    except (CourseError, IntakeError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - the reader's sentence
        sys.exit(WRONG_CALL)
    except Exception:  # noqa: BLE001 - the last resort: no traceback of ours on a learner's screen
        print(_kept_traceback(), file=sys.stderr)  # noqa: T201 - likewise
        sys.exit(MACHINERY)


def _register() -> None:
    for audience in AUDIENCES:
        module = f"{__package__}.commands.{audience}"
        if find_spec(module):
            for name, command in import_module(module).COMMANDS.items():
                app.command(name)(command)


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
