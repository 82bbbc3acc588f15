"""Observing an answer: its numbers, errors, gradients, dtypes, and what it did to its arguments.

Everything goes through a `Subject`, so an answer is observed in the same way in this process and in
a confined one, and a known mistake in the same way as a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import torch

from ..subject import Subject
from ..suite.probe import Probe
from .calls import STOPS, Aspects, outcome, quietly, raised, wrong
from .cells import CALL, RAISED, Cell, Observation, Place
from .designs import Diagnostics, Experiment, function_of
from .looks import LOOKS

Cells: TypeAlias = dict[Place, Cell]


@dataclass(frozen=True)
class Question:
    """One thing that every answer is asked, by itself: a diagnostic, or a look at a function.

    Attributes:
        function: the function or class that it is about.
        look: what is done, as in `Place`.
        aspects: does it, and says what was wrong.
    """

    function: str
    look: str
    aspects: Callable[[Subject], Aspects]

    def ask(self, subject: Subject) -> Cells:
        """What is wrong about an answer there."""
        with quietly():
            seen = self.aspects(subject)
            return {Place(self.function, self.look, what): cell for what, cell in seen}


def questions(diagnostics: Diagnostics, of: Collection[str] = ()) -> list[Question]:
    """All that an answer is asked, in order.

    Args:
        diagnostics: calls and experiments, the same for every answer that is to be compared.
        of: the functions to look at; all, if none is named.
    """
    every = (*_of_designs(diagnostics), *_of_functions(diagnostics))
    return [question for question in every if not of or question.function in of]


def observe(subject: Subject, diagnostics: Diagnostics, of: Collection[str] = ()) -> Observation:
    """Everything that is wrong about an answer, as far as the diagnostics can see it.

    Args:
        subject: the answer.
        diagnostics: calls and experiments, the same for every answer that is to be compared.
        of: the functions to look at; all, if none is named.
    """
    found: Cells = {}
    for question in questions(diagnostics, of):
        found |= question.ask(subject)
    return without_chance(found)


def without_chance(found: Cells) -> Observation:
    """Less the numbers of functions that give others each time: they tell nothing."""
    by_chance = {place.function for place in found if place[1:] == ("repeat", "numbers")}
    return {
        place: cell
        for place, cell in found.items()
        if place.function not in by_chance or cell.kind != "numbers"
    }


def _of_designs(diagnostics: Diagnostics) -> Iterator[Question]:
    for number, design in enumerate(diagnostics.designs):
        if isinstance(design, Experiment):
            aspects = partial(_experiment, design)
        else:
            aspects = partial(_call, diagnostics, design)
        yield Question(function_of(design), f"{CALL} {number}", aspects)


def _of_functions(diagnostics: Diagnostics) -> Iterator[Question]:
    """What one plain call is enough for, and what does not depend on the numbers."""
    for name, probes in diagnostics.chosen.items():
        for look, (which, _) in LOOKS.items():
            yield Question(name, look, partial(_look, diagnostics, look, probes[which]))


def _experiment(experiment: Experiment, subject: Subject) -> Aspects:
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


def _call(diagnostics: Diagnostics, probe: Probe, subject: Subject) -> Aspects:
    called = outcome(diagnostics.as_function(subject), probe, probe.tensors(torch.float64))
    yield from wrong(probe, called)


def _look(diagnostics: Diagnostics, look: str, probe: Probe, subject: Subject) -> Aspects:
    _, seen = LOOKS[look]
    yield from seen(diagnostics.as_function(subject), probe)
