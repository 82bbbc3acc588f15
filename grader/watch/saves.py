"""Which stages were saved: events wake us, but what counts is how the stages' own files look.

So editors' swap files, copies and whatever else lies in the folder mean nothing. Where no events
come (network drives, folders shared with a container), the files are looked at twice a second.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import watchfiles

LOOK_MS = 500
"""How long to wait for an event before looking at the files anyway."""
SETTLE_MS = 10
"""How long it must be quiet after an event: an editor may save in several steps."""
Look: TypeAlias = "tuple[int, int, int] | None"


def saved(folder: Path, stages: Sequence[str], stop: threading.Event) -> Iterator[list[str]]:
    """The stages that were saved, each time some were; ends when `stop` is set.

    Args:
        folder: where the modules lie.
        stages: the stages to look at, in their order.
        stop: ends it.
    """
    return _changes(folder, stages, stop, looks(folder, stages))  # from this moment on


def _changes(
    folder: Path, stages: Sequence[str], stop: threading.Event, before: Mapping[str, Look]
) -> Iterator[list[str]]:
    for _ in _wakes(folder, stop):
        now = looks(folder, stages)
        changed = [stage for stage in stages if now[stage] != before[stage]]
        before = now
        if changed:
            yield changed


def looks(folder: Path, stages: Sequence[str]) -> Mapping[str, Look]:
    """What tells one save of a file from the next, by stage; None where there is no file."""
    return {stage: _look(folder / f"{stage}.py") for stage in stages}


def _look(file: Path) -> Look:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _wakes(folder: Path, stop: threading.Event) -> Iterator[object]:
    """A wake-up for every event, and one at least every `LOOK_MS`."""
    try:
        yield from watchfiles.watch(
            folder,
            watch_filter=None,
            step=SETTLE_MS,
            debounce=100,
            stop_event=stop,
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
        )
    except OSError:  # this system gives no events here, or no more of them
        while not stop.wait(LOOK_MS / 1000):
            yield None
