"""Judging one submission: stage by stage, each with the reference in place of the stages before."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from .course import Course, Stage
from .machinery import Anew
from .record import Chain, CheckResult, Diagnosis, StageResult, Status, SubmissionResult
from .standing import status_of, unjudgeable
from .subject import Subject
from .subject.protocol import Sources
from .submission import Submission
from .suite.session import Suites


class Open(Protocol):
    """How a stage's sources become a subject: in this process, or in a confined one."""

    def __call__(self, sources: Sources, stage: Stage) -> Subject:
        """A subject that nothing has been asked of yet."""
        ...


Diagnose = Callable[[Stage, Sources, Sequence[CheckResult]], tuple[Diagnosis, ...]]


@dataclass(frozen=True)
class Judge:
    """Everything that judging needs, apart from the submission."""

    course: Course
    suites: Suites
    reference: Mapping[str, str]
    """Text of each reference module; empty where there is none (a learner's bundle)."""
    open: Open
    diagnose: Diagnose = lambda *_: ()
    chain: Callable[[Submission], Chain] = lambda _: Chain(Status.NOT_JUDGED)
    open_reference: Open | None = None
    """How a reference becomes a subject, where that is another way: no submission may meet it."""

    def judge(
        self,
        submission: Submission,
        stages: Sequence[Stage],
        tell: Callable[[StageResult], None] = lambda _: None,
    ) -> SubmissionResult:
        """Judge some stages of a submission, in any order; `tell` hears of each as it is done."""
        start = time.perf_counter()
        results = {}
        for stage in stages:
            results[stage.name] = self.stage(submission, stage)
            tell(results[stage.name])
        chain = self.chain(submission)
        seconds = time.perf_counter() - start
        in_order = tuple(results[name] for name in self.course.names if name in results)
        return SubmissionResult(
            submission.id, submission.path, submission.digest, seconds, in_order, chain
        )

    def stage(self, submission: Submission, stage: Stage) -> StageResult:
        """Judge one stage."""
        blocked = unjudgeable(submission, stage)
        if blocked is not None:
            return blocked
        sources = sources_of(self.course, self.reference, submission, stage)
        try:
            return self._judged(sources, stage)
        except Anew:
            return self._judged(sources, stage)

    def _judged(self, sources: Sources, stage: Stage) -> StageResult:
        subject = self.open(sources, stage)
        try:
            checks = self.suites.run(stage.name, subject, self._opener(stage))
        finally:
            subject.close()
        diagnosis = self.diagnose(stage, sources, checks)
        return StageResult(stage.name, status_of(checks), stage.points, checks, diagnosis)

    def reference_of(self, stage: Stage) -> Sources | None:
        """The reference of a stage, where there is one."""
        names = [*self.course.before(stage.name), stage.name]
        if not all(name in self.reference for name in names):
            return None
        return Sources(stage.name, {name: self.reference[name] for name in names})

    def _opener(self, stage: Stage) -> Callable[[], Subject] | None:
        sources = self.reference_of(stage)
        opened = self.open_reference or self.open
        return None if sources is None else lambda: opened(sources, stage)


def sources_of(
    course: Course, reference: Mapping[str, str], submission: Submission, stage: Stage
) -> Sources:
    """A stage's own module, and the reference of the stages before it as siblings."""
    before = {
        name: reference.get(name, submission.texts.get(name, ""))
        for name in course.before(stage.name)
    }
    texts = {**before, stage.name: submission.texts[stage.name]}
    return Sources(stage.name, texts, submission.files)
