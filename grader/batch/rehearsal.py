"""The rehearsal: the reference is judged once, and what each check asked of it becomes its script.

Afterwards a worker answers a whole check at one word, see `subject.confined.scripts`. A check that
asks somebody something else is run again, live; so a script is never needed, it only saves time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing

from ..course import Stage
from ..diagnosis import Diagnoser
from ..subject.confined.process import Remote
from ..subject.confined.scripts import Script
from ..suite.session import Suites

Named = Iterator[tuple[str, Script]]
Reference = Callable[[], Remote]
"""Opens the reference of a stage."""


def rehearse(
    suites: Suites, diagnoser: Diagnoser, references: Iterable[tuple[Stage, Reference]]
) -> Mapping[str, Script]:
    """What checks and diagnosis ask, by the names that they foresee it by."""
    return {
        name: script
        for stage, reference in references
        for asked in (_checks(suites, stage, reference), _observation(diagnoser, stage, reference))
        for name, script in asked
        if script
    }


def _checks(suites: Suites, stage: Stage, reference: Reference) -> Named:
    with closing(reference()) as subject:
        subject.record()
        verdicts = suites.each(stage.name, subject, reference)
        for check, _ in zip(suites.checks(stage.name), verdicts, strict=True):
            if not check.timed:
                yield check.id, subject.recorded()


def _observation(diagnoser: Diagnoser, stage: Stage, reference: Reference) -> Named:
    with closing(reference()) as subject:
        subject.record()
        for name, _ in diagnoser.of_stage(stage).observe.each(subject):
            yield name, subject.recorded()
