"""Other seeds draw other numbers and give the same verdicts (bench: stability, 1,000 seeds)."""

from pathlib import Path

import pytest

from bench.stability import misjudged
from grader import course as courses

ROOT = Path(__file__).parents[3]


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", ["one", "another"])
def test_no_verdict_depends_on_the_seed(seed: str) -> None:
    assert misjudged(courses.load(ROOT), seed) == []
