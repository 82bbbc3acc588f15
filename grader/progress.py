"""Where a learner is: a small file beside the exercises that git ignores. Losing it loses nothing.

{"hints": {"softmax": 2}, "passed": ["projection", "scores"]}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .course import Course


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
