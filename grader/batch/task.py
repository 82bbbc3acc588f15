"""The task: one submission in, its result out, and nothing else that it depends on or changes.

A result follows from the submission's files, from what judges it, and from the seed; it names no
student and no place. So it may be computed anywhere, twice if need be, and kept by its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ..chain import load, run_chain
from ..course import Course, Stage
from ..diagnosis import diagnoser
from ..judge import Judge
from ..record import Chain, CheckResult, Diagnosis, Status, SubmissionResult
from ..subject.confined.process import Remote, Workers
from ..subject.confined.turns import Turns
from ..subject.protocol import Sources
from ..submission import Submission, read_folder
from ..suite.session import Suites
from .rehearsal import rehearse
from .talk import Part


class Task:
    """Judges submissions, each in confined workers of its own.

    Args:
        course: the course.
        stages: the stages to judge.
        suites: their checks, collected, with their seed.
        workers: what runs a submission.
    """

    def __init__(
        self, course: Course, stages: Sequence[Stage], suites: Suites, workers: Workers
    ) -> None:
        self._course = course
        self._stages = stages
        self._workers = workers
        self._links = load(course)
        self._turns: Turns | None = None
        self._name_mistakes = diagnoser(course, self._open)
        reference = read_folder(course.root / "solutions", course.names).texts
        judge = Judge(course, suites, reference, self._open, self._diagnosis, self._chain)
        self._judge = replace(judge, open_reference=self._opened)
        self._apart = replace(self._judge, chain=lambda _: Chain(Status.NOT_JUDGED))
        workers.rehearse(rehearse(suites, self._name_mistakes, self._references()))

    def __call__(self, submission: Submission, part: Part = Part.WHOLE) -> SubmissionResult:
        """Judge one submission, or a part of it; the chain goes with all parts but one.

        Raises:
            MachineryError: something failed that is not the submission's; it may be tried again.
        """
        nameless = Submission("", "", submission.texts, problems=submission.problems)
        judge = self._apart if part is Part.ACCELERATED else self._judge
        # In the order of the course, whatever they were asked for in: see `Turns`.
        stages = [s for s in self._course.stages if s in self._stages and belongs(s, part)]
        with Turns(refused_after(stages)) as self._turns:
            return judge.judge(nameless, stages)

    def _references(self) -> Iterator[tuple[Stage, Callable[[], Remote]]]:
        for stage in self._stages:
            sources = self._judge.reference_of(stage)
            if sources is not None:
                yield stage, partial(self._opened, sources, stage)

    def _open(self, sources: Sources, stage: Stage) -> Remote:
        return self._opened(sources, stage, self._turns)

    def _opened(self, sources: Sources, stage: Stage, turns: Turns | None = None) -> Remote:
        return self._workers.open(
            sources,
            forbidden=stage.forbidden,
            memory=stage.memory,
            seconds=stage.seconds,
            accelerator=bool(stage.ratios),
            turns=turns,
        )

    def _diagnosis(
        self, stage: Stage, sources: Sources, checks: Sequence[CheckResult]
    ) -> tuple[Diagnosis, ...]:
        """What is wrong; of a submission that does not answer nothing more is asked."""
        if any(check.out_of_time for check in checks):
            return ()
        return self._name_mistakes(stage, sources, checks)

    def _chain(self, submission: Submission) -> Chain:
        if len(self._stages) < len(self._course.stages):
            return Chain(Status.NOT_JUDGED, "Only some stages were asked for.")
        if self._turns:
            self._turns.last()
        return run_chain(self._course, self._links, submission, self._open)


def refused_after(stages: Sequence[Stage]) -> Mapping[str, frozenset[str]]:
    """By a stage's name, the groups of operations that the stages after it refuse."""
    return {
        stage.name: frozenset(group for later in stages[n:] for group in later.forbidden)
        for n, stage in enumerate(stages, 1)
    }


def belongs(stage: Stage, part: Part) -> bool:
    """Whether a stage is judged in a part: those with ratios of times are for an accelerator."""
    return part is Part.WHOLE or bool(stage.ratios) is (part is Part.ACCELERATED)
