"""Serving the site until the learner stops it: numbers are made anew at every save."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import torch

from ..course import Course, CourseError
from ..machinery import MachineryError
from ..subject.confined import ladder
from ..subject.confined.levels import LEVELS
from ..submission import read_folder
from ..watch.saves import saved
from .board import Board
from .numbers import Numbers
from .server import serving

OWN = LEVELS[-1:]
"""How the learner's own code is kept apart: a process and a limit on time; nobody is protected."""


def live(
    course: Course,
    folder: Path,
    site: Path,
    ready: Callable[[str], None],
    stop: threading.Event | None = None,
) -> None:
    """Serve the built site; every figure shows what the learner's functions give.

    Args:
        course: the course.
        folder: the learner's modules.
        site: the built site.
        ready: called with the address, once it can be opened.
        stop: ends it; without one it goes on until Ctrl-C.

    Raises:
        IntakeError: the folder is not there.
        CourseError: the site has not been built.
    """
    read_folder(folder, course.names)
    if not (site / "index.html").is_file():
        raise CourseError(f"There is no site in {site} yet. Build it: nox -s docs")
    stop = stop or threading.Event()
    torch.set_num_threads(1)  # for so few numbers more threads are only in each other's way
    board = Board()
    with serving(site, board) as address, ladder.start(trust=True, levels=OWN) as workers:
        ready(address)
        numbers, saves = Numbers(course, workers), saved(folder, course.names, stop)
        _post(board, numbers, folder)
        for _ in saves:
            _post(board, numbers, folder)


def _post(board: Board, numbers: Numbers, folder: Path) -> None:
    """Post the learner's numbers; then, when they are known, what explains them."""
    try:
        for figures in numbers.of(folder):
            board.post({"folder": folder.name, "figures": figures})
    except MachineryError as error:
        board.post({"folder": folder.name, "trouble": str(error)})
