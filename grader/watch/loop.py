"""The loop of `watch`: saves, keys and news come in from threads of their own; screens go out."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from rich.console import Console

from ..course import Course, Stage
from . import keys, saves
from .judges import Judges, News
from .session import Session

Event: TypeAlias = "list[str] | str | News"
"""Stages that were saved, a key that was pressed, or news of a judgement."""
TICK = 1.0
"""Seconds between two screens while a verdict is awaited."""


def watch(course: Course, folder: Path, chosen: Sequence[Stage], out: Console) -> None:
    """Judge on every save until the learner quits.

    Args:
        course: the course.
        folder: the learner's modules.
        chosen: the stages to watch.
        out: the terminal.

    Raises:
        CourseError: the suites cannot be used.
    """
    events: queue.Queue[Event] = queue.Queue()
    judges = Judges(course.root, folder, events.put)
    try:
        session = Session(course, folder, chosen, judges.ask)
        with _listening(folder, [stage.name for stage in chosen], events), _screens(out) as paint:
            paint(session)
            while _take(session, events):
                paint(session)
    except KeyboardInterrupt:
        return
    finally:
        judges.close()


def _take(session: Session, events: queue.Queue[Event]) -> bool:
    """Wait for an event and tell the session; False when that ends it."""
    try:
        event = events.get(timeout=TICK if session.judging else None)
    except queue.Empty:
        return True
    return tell(session, event)


def tell(session: Session, event: Event) -> bool:
    """Tell the session of an event; False when that ends it."""
    if isinstance(event, str):
        return session.press(event)
    if isinstance(event, list):
        session.saved(event)
    else:
        session.hear(event)
    return True


@contextmanager
def _listening(folder: Path, stages: Sequence[str], events: queue.Queue[Event]) -> Iterator[None]:
    """Threads that wait for keys and for saves, until the block ends."""
    stop = threading.Event()
    with keys.reading() as read:

        def press() -> None:
            while key := read():
                events.put(key)

        changes = saves.saved(folder, stages, stop)

        def save() -> None:
            for found in changes:
                events.put(found)

        for work in (press, save):
            threading.Thread(target=work, daemon=True).start()
        try:
            yield
        finally:
            stop.set()


@contextmanager
def _screens(out: Console) -> Iterator[Callable[[Session], None]]:
    """How to show a session: on a screen of its own, or line by line where there is no terminal."""
    if not out.is_terminal:
        yield lambda session: None if session.judging else _print(out, session)
        return
    with out.screen() as screen:
        yield lambda session: screen.update(*session.frame().lines(out.width, out.height))


def _print(out: Console, session: Session) -> None:
    frame = session.frame()
    out.print(frame.status)
    frame.show(out)
