"""Known answers judged twice: in this process, as a check does, and confined, as a graded run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grader import course as courses
from grader.batch.task import Task
from grader.course import Course, Stage
from grader.diagnosis.bank import sources, stage_module
from grader.judge import Judge
from grader.record import StageResult, Status
from grader.subject.confined.process import Workers
from grader.subject.in_process import InProcess
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites
from harness.cli import ROOT

Verdicts = list[tuple[str, Status]]


def answers(stage: Stage) -> Iterator[tuple[str, str]]:
    """The solution, every mistake and every variant of a stage, by name, as whole modules."""
    yield "solution", REFERENCE[stage.name]
    for kind, names in (("mistakes", ("MISTAKES", "COMPOUNDS")), ("variants", ("VARIANTS",))):
        if (ROOT / f"tests/{kind}/{stage.name}.py").is_file():
            bank = stage_module(COURSE, kind, stage)
            for answer in (answer for name in names for answer in getattr(bank, name, ())):
                yield answer.id, sources(COURSE, stage, answer).texts[stage.name]


def differing(stage: Stage, workers: Workers, every: int = 1) -> dict[str, tuple[Verdicts, ...]]:
    """The answers on which the two ways do not agree, with both verdicts.

    Args:
        stage: the stage.
        workers: what runs answers confined.
        every: 1 for all answers, n for every n-th; the solution is always among them.
    """
    found: dict[str, tuple[Verdicts, ...]] = {}

    def work(suites: Suites) -> None:
        here = Judge(COURSE, suites, REFERENCE, lambda own, of: InProcess(own, of.forbidden))
        confined = Task(COURSE, [stage], suites, workers)
        for id_, text in list(answers(stage))[::every]:
            submission = Submission("", "", {stage.name: text})
            both = _verdicts(here.stage(submission, stage)), _verdicts(*confined(submission).stages)
            if both[0] != both[1]:
                found[id_] = both

    with_suites(COURSE, [stage], "a seed of the tests", work)
    return found


def _verdicts(result: StageResult) -> Verdicts:
    return [(check.id, check.status) for check in result.checks]


def _patient(course: Course) -> Course:
    """A limit on time is no part of what is compared, and the machine may be busy."""
    stages = tuple(replace(stage, seconds=10 * stage.seconds) for stage in course.stages)
    return replace(course, stages=stages)


COURSE = _patient(courses.load(ROOT))
REFERENCE = read_folder(ROOT / "solutions", COURSE.names).texts
