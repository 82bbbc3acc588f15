"""A check in one's own process and a confined run come to the same verdicts, on every known answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader import course as courses
from grader.course import Stage
from grader.diagnosis.bank import sources, stage_module
from grader.judge import Judge
from grader.record import Status
from grader.subject import Subject
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites
from harness.cli import ROOT
from harness.confined import machine

COURSE = courses.load(ROOT)
REFERENCE = read_folder(ROOT / "solutions", COURSE.names).texts

Verdicts = dict[str, list[tuple[str, Status]]]


def answers(stage: Stage) -> Iterator[tuple[str, str]]:
    """The solution, every mistake and every variant, as far as the stage has a bank."""
    yield "solution", REFERENCE[stage.name]
    for kind, names in (("mistakes", ("MISTAKES", "COMPOUNDS")), ("variants", ("VARIANTS",))):
        if (ROOT / f"tests/{kind}/{stage.name}.py").is_file():
            bank = stage_module(COURSE, kind, stage)
            for answer in (answer for name in names for answer in getattr(bank, name, ())):
                yield answer.id, sources(COURSE, stage, answer).texts[stage.name]


@pytest.mark.parametrize("stage", COURSE.stages, ids=COURSE.names)
def test_verdicts_agree(stage: Stage) -> None:
    workers = machine.workers(machine.strongest())

    def here(found: Sources, of: Stage) -> Subject:
        return InProcess(found, of.forbidden)

    def confined(found: Sources, of: Stage) -> Subject:
        return workers.open(
            found, forbidden=of.forbidden, memory=of.memory, seconds=10 * of.seconds
        )

    verdicts: list[Verdicts] = []

    def work(suites: Suites) -> None:
        for open_ in (here, confined):
            judge = Judge(COURSE, suites, REFERENCE, open_)
            verdicts.append({id_: _verdicts(judge, stage, text) for id_, text in answers(stage)})

    with_suites(COURSE, [stage], "a seed of the tests", work)
    ours, theirs = verdicts
    assert {id_ for id_ in ours if ours[id_] != theirs[id_]} == set()


def _verdicts(judge: Judge, stage: Stage, text: str) -> list[tuple[str, Status]]:
    result = judge.stage(Submission("", "", {stage.name: text}), stage)
    return [(check.id, check.status) for check in result.checks]
