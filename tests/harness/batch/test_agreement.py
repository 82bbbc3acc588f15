"""A check in one's own process and a confined run come to the same verdicts.

Here on a sample of the known answers, which takes seconds; `nox -s bench -- agreement` takes all.
"""

from __future__ import annotations

import pytest

from harness import agreement, exhaustive
from harness.confined import machine

EVERY = 15 if exhaustive.whole() else 45


@pytest.mark.parametrize("stage", exhaustive.sampled(agreement.COURSE.names, 3))
def test_verdicts_agree(stage: str) -> None:
    workers = machine.workers(machine.strongest())
    assert agreement.differing(agreement.COURSE.stage(stage), workers, EVERY) == {}
