"""What one call costs on either side: counted, and timed as a ratio."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from ..course import Course, Stage
from ..devices.cost import Prepare, counts, table
from ..devices.timing import Comparison, Plan, Timing
from ..diagnosis.bank import stage_module
from ..diagnosis.designs import Diagnostics, spacious
from ..record import Cost
from ..subject import Subject
from ..suite.probe import Probe

UNIT = 2e-3
"""Seconds that one timed unit takes at least: as many calls as that needs."""
PLAN = Plan(threshold=1.0, pairs=24, doublings=0)
"""Pairs enough for an interval; whether it holds 1 decides nothing here."""


def prepared(course: Course, stage: Stage, diagnostics: Diagnostics) -> Prepare:
    """The call whose cost is told: `costed` of the stage's probes, else an ordinary probe's."""
    probes = stage_module(course, "stages.probes", stage)
    if hasattr(probes, "costed"):
        costed: Prepare = probes.costed
        return costed
    probe = spacious([design for design in diagnostics.designs if isinstance(design, Probe)])

    def prepare(subject: Subject) -> Callable[[], Any]:
        function = getattr(diagnostics.as_function(subject), probe.function.name)
        arguments = probe.tensors(torch.float32)
        return lambda: function(*arguments)

    return prepare


def cost(yours: Subject, reference: Subject, prepare: Prepare) -> tuple[Cost, ...]:
    """Operations, bytes and trips of one call."""
    return table(counts(yours, prepare), counts(reference, prepare))


def pace(yours: Subject, reference: Subject, prepare: Prepare) -> Timing:
    """The reference's time over the learner's, by pairs that are timed in turn.

    Raises:
        Exception: whatever the call raises.
    """
    mine, theirs = prepare(yours), prepare(reference)
    calls = max(1, round(UNIT / max(_seconds(theirs, 3) / 3, 1e-7)))
    comparison: Comparison[int] = Comparison(
        yours=lambda n: (_seconds(mine, n), None),
        reference=lambda n: (_seconds(theirs, n), None),
        fresh=lambda: calls,
        same=lambda _a, _b: True,
    )
    return comparison.run(PLAN)


def _seconds(call: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - start
