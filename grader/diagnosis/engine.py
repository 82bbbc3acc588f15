"""From a failed stage to the sentences that name what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TypeAlias

import numpy as np

from ..course import Course, Stage
from ..record import CheckResult, Diagnosis, Status
from ..subject import Subject, SubmissionDied, SubmissionTimeout
from ..subject.protocol import Sources
from . import fallback
from .asif import Told
from .bank import Lesson, StageBank, diagnostics
from .case import Seen, cases, figures, quoted, seen
from .cells import Cell, Observation, Place
from .designs import Diagnostic, Diagnostics, is_call
from .match import matches, nearest, of_function, weighty
from .observer import Observer
from .shelf import known

EXACT, PROPERTY = "exact", "property"
AT_MOST = 3
"""Statements about a function that no known mistake explains; more would hide the first."""


Open: TypeAlias = Callable[[Sources, Stage], Subject]
"""How a stage's sources become a subject; the same as the judge's."""


def diagnoser(course: Course, open_subject: Open) -> Diagnoser:
    """What a `Judge` names mistakes with.

    Args:
        course: the course, whose folder holds probes and banks.
        open_subject: opens a submission for being observed, in this process or confined.
    """
    return Diagnoser(course, open_subject)


@dataclass(frozen=True)
class Diagnoser:
    """Names mistakes; each stage's bank is run at the first need of it, and kept."""

    course: Course
    open_subject: Open
    _stages: dict[str, StageDiagnoser] = field(default_factory=dict)

    def __call__(
        self, stage: Stage, sources: Sources, checks: Sequence[CheckResult]
    ) -> tuple[Diagnosis, ...]:
        """What is wrong with a submission's stage; nothing where no check failed."""
        bad = [check for check in checks if check.status in {Status.FAILED, Status.ERROR}]
        # What never ends would not do so here either, and a learner's own check has no clock now.
        if not bad or any(check.out_of_time for check in bad):
            return ()
        return self.mistakes(stage, sources)

    def mistakes(self, stage: Stage, sources: Sources) -> tuple[Diagnosis, ...]:
        """What is wrong with a stage, whatever its checks may say."""
        subject = self.open_subject(sources, stage)
        try:
            return tuple(self.of_stage(stage).diagnose(subject, sources.texts.get(stage.name, "")))
        except (SubmissionDied, SubmissionTimeout):  # its checks say that already
            return ()
        finally:
            subject.close()

    def of_stage(self, stage: Stage) -> StageDiagnoser:
        """One stage's part."""
        if stage.name not in self._stages:
            self._stages[stage.name] = StageDiagnoser(self.course, stage)
        return self._stages[stage.name]


@dataclass(frozen=True)
class StageDiagnoser:
    """Names the mistakes of one stage."""

    course: Course
    stage: Stage

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """The calls and experiments by which mistakes are told apart."""
        return diagnostics(self.course, self.stage)

    @cached_property
    def bank(self) -> StageBank:
        """The known mistakes, as they were run, now or before, or as a bundle has them."""
        return known(self.course, self.stage)

    @cached_property
    def observe(self) -> Observer:
        """Sees everything that is wrong about an answer, as far as the diagnostics can."""
        return Observer(self.stage, self.diagnostics)

    def diagnose(self, subject: Subject, source: str = "") -> Iterator[Diagnosis]:
        """What is wrong with an answer, function by function.

        Args:
            subject: the answer.
            source: the text of its module, in which a misspelt name has a neighbour.
        """
        mine = self.observe(subject)
        told: set[str] = set()
        for function in self.diagnostics.functions:
            if weighty(of_function(mine, function)):
                for diagnosis in self._of_function(subject, mine, function, told, source):
                    if diagnosis.id not in told:
                        told.add(diagnosis.id)
                        yield diagnosis

    def _of_function(
        self,
        subject: Subject,
        mine: Observation,
        function: str,
        told: Collection[str],
        source: str,
    ) -> Iterator[Diagnosis]:
        """An exact match; else the reason why nothing ran; else what can be measured."""
        ids = matches(mine, function, self.bank.known, told)
        for id_ in ids:
            yield Diagnosis(id_, self._told(id_, mine, function), EXACT)
        wrong = weighty(of_function(mine, function))
        blocked = () if ids else tuple(fallback.blocked(wrong, source))
        yield from blocked
        # What an earlier function of the stage got wrong may be all that is wrong here.
        if not ids and not blocked and not told:
            unexplained = self._unexplained(subject, mine, function, source)
            yield from islice(unexplained, AT_MOST)

    def _told(self, id_: str, mine: Observation, function: str, more: str = "") -> str:
        """A mistake's message, its figures measured where that mistake shows."""
        known = next(known for known in self.bank.known if known.id == id_)
        shows = {place: cell for place, cell in mine.items() if place in known.cells} or mine
        return message(
            self.bank.lessons[id_], figures(shows, function, self.diagnostics.designs), more
        )

    def _unexplained(
        self, subject: Subject, mine: Observation, function: str, source: str
    ) -> Iterator[Diagnosis]:
        """What can be said of an answer that no known mistake explains."""
        wrong = weighty(of_function(mine, function))
        values_right = all(place.number is None for place in wrong)
        calls = seen(mine, function, self.diagnostics.designs)
        whole = self._whole(mine, function, calls)
        near = nearest(mine, function, self.bank.known)
        if near is not None and (whole is None or _left_to_nan(wrong, near[1])):
            known, explained = near
            left = {place: cell for place, cell in wrong.items() if place not in explained}
            same_kind = fallback.rest(left, [wrong[place] for place in explained])
            more = _PARTLY.format(len(explained), len(wrong), same_kind or _WHATEVER)
            for id_ in known.names:
                yield Diagnosis(id_, self._told(id_, mine, function, more), PROPERTY)
            if not same_kind:
                yield from self._left(subject, function, left)
                yield from fallback.facts(left, values_right)
            return
        yield from self._numbers_or_error(subject, function, wrong, calls, whole, source)
        yield from fallback.facts(wrong, values_right)

    def _whole(self, mine: Observation, function: str, calls: Sequence[Seen]) -> Told | None:
        """What accounts for all wrong numbers of a function, if anything does."""
        designs = self.diagnostics.designs
        own = [case for case in cases(weighty(mine), function, designs) if case.got.size]
        formula = self.diagnostics.steps.get(function, ())
        return fallback.whole_of(own, calls, formula) if own else None

    def _left(
        self, subject: Subject, function: str, left: Mapping[Place, Cell]
    ) -> Iterator[Diagnosis]:
        """What can be measured where a known mistake does not explain the numbers."""
        designs = self.diagnostics.designs
        own = [case for case in cases(left, function, designs) if case.got.size]
        raised = {place: cell for place, cell in left.items() if cell.kind == "raised"}
        if own and not _calls(raised, designs):
            subject.begin(self.stage.seconds)
            yield from fallback.measured_rest(self.diagnostics.as_function(subject), own)
        elif raised:
            yield fallback.error(_calls(raised, designs) or raised, designs, "")

    def _numbers_or_error(
        self,
        subject: Subject,
        function: str,
        wrong: Mapping[Place, Cell],
        numbers: Sequence[Seen],
        whole: Told | None,
        source: str,
    ) -> Iterator[Diagnosis]:
        designs = self.diagnostics.designs
        raised = _of_learner(wrong)
        calls = _calls(raised, designs)
        own = [case for case in cases(wrong, function, designs) if case.got.size]
        if own and not calls:  # what an experiment raised, a refusal say, hides no numbers
            subject.begin(self.stage.seconds)  # what it asks depends on the answers
            answer = self.diagnostics.as_function(subject)
            yield from fallback.measured(answer, own, numbers, whole)
        elif raised:
            yield fallback.error(calls or raised, designs, source)
            if whole is not None:
                yield fallback.elsewhere(whole)


def _left_to_nan(wrong: Mapping[Place, Cell], explained: Collection[Place]) -> bool:
    """Whether a mistake explains all numbers but those that are nowhere finite."""
    left = [cell.array for place, cell in wrong.items() if place not in explained]
    return not any(array is not None and np.isfinite(array).any() for array in left)


def _of_learner(wrong: Mapping[Place, Cell]) -> dict[Place, Cell]:
    """What was raised, by a line of the learner's if there is anything else that is wrong.

    What an experiment could not do with a list, say, is no line of theirs.
    """
    raised = {place: cell for place, cell in wrong.items() if cell.kind == "raised"}
    lines = {place: cell for place, cell in raised.items() if ", line " in cell.note}
    return lines if lines or len(raised) < len(wrong) else raised


def _calls(raised: Mapping[Place, Cell], designs: Sequence[Diagnostic]) -> dict[Place, Cell]:
    return {place: cell for place, cell in raised.items() if is_call(place.number, designs)}


_PARTLY = "That explains {} of the {} things that differ here, number for number. {}"
_WHATEVER = "What is left may come from it as well, or from something else."


def message(lesson: Lesson, quotes: Mapping[str, str], more: str = "") -> str:
    """What is told about a mistake: at most a screen."""
    head = " ".join(filter(None, [lesson.sentence, quoted(lesson.evidence, quotes), more]))
    return f"{head}\n\nTo think about: {lesson.question}\n\nTo read: {page(lesson.read)}"


def page(address: str) -> str:
    """Where a page of the site is to be read, built or not.

    >>> page("stages/softmax.html#the-formula")
    'docs/stages/softmax.md, "The formula"'
    """
    file, _, anchor = address.partition("#")
    heading = anchor.replace("-", " ").capitalize()
    return f"docs/{file.removesuffix('.html')}.md" + (f', "{heading}"' if anchor else "")
