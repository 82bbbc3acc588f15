"""Observing an answer: its numbers, errors, gradients, dtypes, and what it did to its arguments.

Everything goes through a `Subject`, so an answer is observed in the same way in this process and in
a confined one, and a known mistake in the same way as a submission.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import torch

from ..subject import Subject
from ..suite.probe import Probe
from .calls import STOPS, Aspects, outcome, quietly, raised, wrong
from .cells import CALL, RAISED, Cell, Observation, Place
from .designs import Diagnostics, Experiment, function_of
from .looks import LOOKS


def observe(
    subject: Subject,
    diagnostics: Diagnostics,
    seconds: float = math.inf,
    of: Collection[str] = (),
) -> Observation:
    """Everything that is wrong about an answer, as far as the diagnostics can see it.

    Args:
        subject: the answer.
        diagnostics: calls and experiments, the same for every answer that is to be compared.
        seconds: the limit for all of it, where the subject keeps one.
        of: the functions to look at; all, if none is named.
    """
    functions = of or diagnostics.functions
    found: dict[Place, Cell] = {}
    with quietly():
        subject.begin(seconds)
        plain_subject = diagnostics.as_function(subject)
        for number, design in enumerate(diagnostics.designs):
            if function_of(design) not in functions:
                continue
            if isinstance(design, Experiment):
                seen = _experiment(subject, design)
            else:
                seen = _call(plain_subject, design)
            look = f"{CALL} {number}"
            found.update({Place(function_of(design), look, what): cell for what, cell in seen})
        for name, probes in diagnostics.chosen.items():
            if name in functions:
                _about_function(plain_subject, name, probes, found)
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
            told = f"{experiment.note}: {name} {seen.get(name)}; right would be: {right}"
            yield name, Cell("fact", str(seen.get(name)), note=told)


def _call(subject: Subject, probe: Probe) -> Aspects:
    yield from wrong(probe, outcome(subject, probe, probe.tensors(torch.float64)))


def _about_function(
    subject: Subject, name: str, probes: Sequence[Probe], found: dict[Place, Cell]
) -> None:
    """What one plain call is enough for, and what does not depend on the numbers."""
    for look, (which, seen) in LOOKS.items():
        cells = seen(subject, probes[which])
        found.update({Place(name, look, what): cell for what, cell in cells})
    if Place(name, "repeat", "numbers") in found:  # numbers that come by chance tell nothing
        for where in [w for w, c in found.items() if w.function == name and c.kind == "numbers"]:
            del found[where]
