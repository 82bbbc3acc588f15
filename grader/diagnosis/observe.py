"""Observing an answer: its numbers, errors, gradients, dtypes, and what it did to its arguments.

Everything goes through a `Subject`, so an answer is observed in the same way in this process and in
a confined one, and a known mistake in the same way as a submission.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from ..subject import Subject
from ..suite.probe import Probe
from .calls import STOPS, Aspects, outcome, quietly, raised, wrong
from .cells import CALL, RAISED, Cell, Observation, Place
from .designs import Diagnostics, Experiment, by_function, function_of
from .looks import LOOKS


def observe(subject: Subject, diagnostics: Diagnostics, seconds: float = math.inf) -> Observation:
    """Everything that is wrong about an answer, as far as the diagnostics can see it.

    Args:
        subject: the answer.
        diagnostics: calls and experiments, the same for every answer that is to be compared.
        seconds: the limit for all of it, where the subject keeps one.
    """
    found: dict[Place, Cell] = {}
    with quietly():
        subject.begin(seconds)
        plain_subject = diagnostics.as_function(subject)
        for number, design in enumerate(diagnostics.designs):
            if isinstance(design, Experiment):
                seen = _experiment(subject, design)
            else:
                seen = _call(plain_subject, design)
            look = f"{CALL} {number}"
            found.update({Place(function_of(design), look, what): cell for what, cell in seen})
        for name, own in by_function(diagnostics.designs).items():
            _about_function(plain_subject, name, own, found)
    return found


def _experiment(subject: Subject, experiment: Experiment) -> Aspects:
    try:
        seen = experiment.facts(subject)
    except STOPS:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an answer may raise anything
        yield RAISED, raised(error)
        return
    for name, right in experiment.right.items():
        if seen.get(name) != right:
            yield (
                name,
                Cell(
                    "fact", str(seen.get(name)), note=f"{experiment.note}: {name} {seen.get(name)}"
                ),
            )


def _call(subject: Subject, probe: Probe) -> Aspects:
    yield from wrong(probe, outcome(subject, probe, probe.tensors(torch.float64)))


def _about_function(
    subject: Subject, name: str, probes: Sequence[Probe], found: dict[Place, Cell]
) -> None:
    """What one plain call is enough for, and what does not depend on the numbers."""
    for look, (choose, seen) in LOOKS.items():
        cells = seen(subject, choose(probes))
        found.update({Place(name, look, what): cell for what, cell in cells})
    if Place(name, "repeat", "numbers") in found:  # numbers that come by chance tell nothing
        for where in [w for w, c in found.items() if w.function == name and c.kind == "numbers"]:
            del found[where]
