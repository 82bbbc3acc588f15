"""The stages of one submission share processes, and no stage gains by what another left there."""

from __future__ import annotations

from textwrap import dedent

import pytest

from grader import course as courses
from grader.batch.task import Task
from grader.record import Status, SubmissionResult
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites
from harness.cli import ROOT
from harness.confined import machine

COURSE = courses.load(ROOT)
SOLVED = read_folder(ROOT / "solutions", COURSE.names).texts

UNDOES = """
import sys
for module in list(sys.modules.values()):
    for name in ("refuse", "refusing", "kernels", "operations"):
        if getattr(module, "__name__", "").startswith("grader.") and hasattr(module, name):
            setattr(module, name, lambda *_: {})
"""
"""Whoever comes first takes away what would refuse an operation later."""

BUILT_IN = """
import torch
def row_softmax(scores):
    return torch.ops.aten.softmax.int(scores, -1)
"""

STASHES = """
import torch
from . import softmax
torch.stash = softmax.row_softmax
"""
"""Whoever comes late keeps the reference of a stage before."""

FROM_STASH = """
import torch
def row_softmax(scores):
    return torch.stash(scores)
"""


def judged(**texts: str) -> SubmissionResult:
    """The solutions with other texts in their place."""
    found: list[SubmissionResult] = []

    def work(suites: Suites) -> None:
        workers = machine.workers(machine.strongest())
        task = Task(COURSE, COURSE.stages, suites, workers)
        found.append(task(Submission("", "", {**SOLVED, **texts})))

    with_suites(COURSE, COURSE.stages, "turns", work)
    return found[0]


@pytest.mark.parametrize(
    ("first", "harm", "second"),
    [("projection", UNDOES, BUILT_IN), ("residual", STASHES, FROM_STASH)],
    ids=["undoes a refusal", "keeps a reference"],
)
def test_a_stage_helps_no_other(first: str, harm: str, second: str) -> None:
    result = judged(**{first: dedent(harm) + SOLVED[first], "softmax": second})
    stages = {stage.stage: stage for stage in result.stages}
    assert stages["softmax"].points == 0
    assert stages["mixing"].status is Status.PASSED
