"""Another seed draws other numbers and gives the same verdicts (bench: stability, 1,000 seeds)."""

from pathlib import Path

import pytest

from bench import stability
from grader import course as courses
from grader.diagnosis.proof import answers
from harness import exhaustive

ROOT = Path(__file__).parents[3]
EVERY = 15


def test_no_verdict_depends_on_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all known answers in a whole run, else of a sample."""
    chosen = lambda course, stage: tuple(exhaustive.some(answers(course, stage), EVERY))  # noqa: E731
    monkeypatch.setattr(stability, "answers", chosen)
    assert stability.misjudged(courses.load(ROOT), "another seed") == []
