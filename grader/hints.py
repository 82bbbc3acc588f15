"""The three hints of a stage, from a question to nearly the line, read from its docs page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .course import Course, CourseError


@dataclass(frozen=True)
class Hint:
    """One hint: its heading (`Hint 1: a question`) and its text."""

    title: str
    text: str


_HEADING = re.compile(r"^### (Hint \d.*)$", re.MULTILINE)


def read(course: Course, stage: str) -> list[Hint]:
    """The hints of a stage, in order: the `### Hint …` sections of `docs/stages/<stage>.md`.

    Raises:
        CourseError: there is no such stage, or its page has no hints.
    """
    course.stage(stage)
    page = course.root / "docs" / "stages" / f"{stage}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    section = text.partition("\n## Hints\n")[2].partition("\n## ")[0]
    parts = _HEADING.split(section)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    hints = [Hint(title.strip(), body.strip()) for title, body in pairs]
    if not hints:
        raise CourseError(f"Stage {stage!r} has no hints: {page} holds no '### Hint 1' section.")
    return hints
