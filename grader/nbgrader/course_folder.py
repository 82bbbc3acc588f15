"""A complete course folder for nbgrader and JupyterLab's formgrader, made from nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ..course import Course, CourseError
from ..stubs import pristine
from . import notebook

FOLDER = "gradebook"
"""Where it is made, in the course's folder, if nothing else is said. git ignores it."""

_OTHER_CELLS = "Cannot add or remove cells"
"""What nbgrader says if the assignment's cells changed after somebody handed in."""

_NBGRADER = """\
import sys
sys.modules["rfc3987_syntax"] = None  # a grammar that takes longer to load than nbgrader does
from nbgrader.apps.nbgraderapp import main
main()
"""

_CONFIG = '''\
"""nbgrader's settings for this course. Add your own below; nbgrader reads this file."""

import sys
from pathlib import Path

here = Path(__file__).resolve().parent
root = (here / {root!r}).resolve()  # the folder of course.toml
sys.path.insert(0, str(root))

from grader.nbgrader.config import configure

c = get_config()
configure(c, here, root)
'''


def make(course: Course, folder: Path, *, modules: bool = False) -> None:
    """Make the folder: configuration, source, gradebook, release.

    Args:
        course: the course.
        folder: where; an assignment that is there already is made again, submissions stay.
        modules: whether students hand in modules beside a thin notebook.

    Raises:
        CourseError: a solution or page is missing, or nbgrader refused; its words are told.
    """
    source, release = folder / "source" / course.name, folder / "release" / course.name
    source.mkdir(parents=True, exist_ok=True)
    _write(folder / "nbgrader_config.py", _CONFIG.format(root=_root(course, folder)), keep=True)
    with _kept_on_failure(source, release):
        _fill(source, course, modules=modules)
        nbgrader(folder, ["generate_assignment", course.name, "--force"])


def _fill(source: Path, course: Course, *, modules: bool) -> None:
    made = notebook.thin(course) if modules else notebook.solved(course)
    _write(source / notebook.file_name(course), notebook.text(made))
    for name in course.names:
        if modules:  # nbgrader copies such files as they are, so no solution may lie there
            _write(source / f"{name}.py", pristine(course, name))
        else:
            (source / f"{name}.py").unlink(missing_ok=True)


@contextmanager
def _kept_on_failure(*folders: Path) -> Iterator[None]:
    """Put folders back as they were if something goes wrong: nbgrader removes what it fails on."""
    with TemporaryDirectory() as place:
        copies = {folder: Path(place, folder.parent.name) for folder in folders if folder.is_dir()}
        for folder, copy in copies.items():
            shutil.copytree(folder, copy)
        try:
            yield
        except CourseError:
            for folder, copy in copies.items():
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(copy, folder)
            raise


def nbgrader(folder: Path, arguments: Sequence[str]) -> None:
    """Run one of nbgrader's commands in a course folder.

    Raises:
        CourseError: it failed.
    """
    done = subprocess.run(
        [sys.executable, "-c", _NBGRADER, *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if _OTHER_CELLS in done.stderr:
        raise CourseError(
            f"Submissions to this assignment are in the gradebook of {folder}, so its cells have "
            f"to stay as they are. Make another edition in a folder of its own: "
            f"nox -s assignment -- FOLDER"
        )
    if done.returncode:
        told = "\n".join(done.stderr.splitlines()[-15:])
        raise CourseError(f"nbgrader {' '.join(arguments)} failed:\n{told}")


def environment() -> dict[str, str]:
    """An environment in which nbgrader finds `alembic`, which it runs by name."""
    programs = Path(sys.executable).parent
    paths = [str(programs), os.environ.get("PATH", "")]
    return {**os.environ, "PATH": os.pathsep.join(paths)}


def refuse_missing(folder: Path) -> None:
    """Tell how a course folder is made, where there is none.

    Raises:
        CourseError: there is none.
    """
    if not (folder / "nbgrader_config.py").is_file():
        raise CourseError(f"{folder} is no course folder. Make one:  nox -s assignment -- {folder}")


def _root(course: Course, folder: Path) -> str:
    try:
        return Path(os.path.relpath(course.root, folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return course.root.as_posix()


def _write(file: Path, text: str, *, keep: bool = False) -> None:
    if not (keep and file.exists()):
        file.write_text(text, encoding="utf-8", newline="\n")
