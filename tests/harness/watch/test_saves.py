"""Which changes of a folder count as a save of a stage."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from grader.watch import saves

NAMES = ("scores", "softmax")


@pytest.fixture(params=["events", "no events", "refused"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two stages, with and without events of the file system."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text("a = 1\n")
    monkeypatch.setattr(saves, "LOOK_MS", 50)

    def silent(*_: object, stop_event: threading.Event, **__: object) -> Iterator[Any]:
        while not stop_event.wait(0.05):
            yield set()

    def refused(*_: object, **__: object) -> Iterator[Any]:
        raise OSError("OS file watch limit reached")

    if request.param != "events":
        other = silent if request.param == "no events" else refused
        monkeypatch.setattr(watchfiles, "watch", other)
    return tmp_path


def seen_after(folder: Path, *steps: Any) -> list[list[str]]:
    """What is reported of some steps, and of a last save of `softmax` that ends the waiting."""
    stop = threading.Event()
    changes = saves.saved(folder, NAMES, stop)
    for step in steps:
        step()
    (folder / "softmax.py").write_text("the last one\n")
    found = []
    for stages in changes:
        found.append(stages)
        if "softmax" in stages:
            stop.set()
    return found


def stages(found: list[list[str]]) -> set[str]:
    return {stage for part in found for stage in part}


def test_a_save_is_seen(folder: Path) -> None:
    found = seen_after(folder, lambda: (folder / "scores.py").write_text("b = 22\n"))
    assert stages(found) == {"scores", "softmax"}


def test_a_save_that_replaces_the_file_is_seen(folder: Path) -> None:
    def replace() -> None:
        (folder / "new").write_text("a = 2\n")
        (folder / "new").replace(folder / "scores.py")

    assert stages(seen_after(folder, replace)) == {"scores", "softmax"}


def test_other_files_are_nobodys_save(folder: Path) -> None:
    def clutter() -> None:
        for name in (".scores.py.swp", "scores.py~", "4913", "scores copy.py", "notes.txt"):
            (folder / name).write_text("x")
        shutil.copy(folder / "scores.py", folder / "scores.py.kept-1")

    assert stages(seen_after(folder, clutter)) == {"softmax"}


def test_a_stage_that_is_taken_away_is_seen(folder: Path) -> None:
    assert stages(seen_after(folder, (folder / "scores.py").unlink)) == {"scores", "softmax"}
