"""Where a learner is: a small file beside the exercises that git ignores. Losing it loses nothing.

{"hints": {"softmax": 2}, "passed": ["projection", "scores"]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .course import Course
from .record import StageResult, Status


@dataclass
class Progress:
    """How many hints of each stage were shown, and which stages passed at the last look."""

    hints: dict[str, int] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, course: Course) -> Progress:
        """Read the file; one that is missing or damaged counts as a fresh start."""
        try:
            data = json.loads(_file(course).read_text(encoding="utf-8"))
            return cls(_counts(data.get("hints")), [str(name) for name in data.get("passed", [])])
        except (OSError, ValueError, AttributeError, TypeError):
            return cls()

    def note(self, results: Iterable[StageResult]) -> None:
        """Remember which stages passed; a stage that was not looked at stays as it was."""
        for result in results:
            done = result.stage in self.passed
            if result.status is Status.PASSED and not done:
                self.passed.append(result.stage)
            elif result.status is not Status.PASSED and done:
                self.passed.remove(result.stage)

    def greeting(self, course: Course) -> str:
        """Where the learner was at the last look, in a sentence; empty at the very beginning."""
        done = [name for name in course.names if name in self.passed]
        if not done:
            return ""
        if len(done) == len(course.names):
            return f"Welcome back: all {len(done)} stages passed when you last looked."
        after = next(name for name in course.names if name not in done)
        return f"Welcome back: {len(done)} of {len(course.names)} stages passed, {after} is next."

    def save(self, course: Course) -> None:
        """Write the file; a folder that cannot be written to is no reason to stop."""
        try:
            _file(course).write_text(json.dumps(asdict(self)), encoding="utf-8")
        except OSError:
            return


def _file(course: Course) -> Path:
    return course.root / ".progress.json"


def _counts(value: Any) -> dict[str, int]:
    return {str(name): int(count) for name, count in value.items()}
