"""The stages of one submission share a process, and no stage gains, or loses, by that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from textwrap import dedent
from typing import Any

import pytest
import torch

from grader import course as courses
from grader.batch.task import Task, refused_after
from grader.course import Stage
from grader.judge import Judge
from grader.machinery import Anew
from grader.record import Diagnosis, StageResult, Status
from grader.subject import SubmissionError
from grader.subject.confined.process import Process
from grader.subject.confined.turns import Turns
from grader.subject.confined.zygote import Zygote
from grader.subject.in_process import InProcess
from grader.subject.protocol import Sources
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites
from harness.cli import ROOT
from harness.confined import machine

COURSE = courses.load(ROOT)
SOLVED = read_folder(ROOT / "solutions", COURSE.names).texts

UNDOES = """
import sys
for module in list(sys.modules.values()):
    for name in ("refuse", "refuse_all", "refusing", "operations", "found", "clean", "check"):
        if getattr(module, "__name__", "").startswith("grader.") and hasattr(module, name):
            setattr(module, name, lambda *_: {})
"""
"""Whoever comes first takes away what would refuse an operation, or a name, later."""

KEEPS_HANDLES = """
import sys, torch
[poison] = [m for name, m in sys.modules.items() if name.endswith("confined.poison")]
torch.handles, torch.allow, poison.allow = [], poison.allow, lambda new: torch.handles.extend(new)
"""
"""Whoever comes first keeps what would take a refusal back."""

BUILT_IN = """
import torch
def row_softmax(scores):
    return torch.ops.aten.softmax.int(scores, -1)
"""

WITH_HANDLES = BUILT_IN + "torch.allow(torch.handles)\n"
BY_NAME = """
from torch._refs import softmax
def row_softmax(scores):
    return softmax(scores, -1)
"""
"""A name that leads around what is refused: this one comes apart on the way."""


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

MARKS = "import torch\ntorch.mark = 1\n"
LOOKS = 'import torch\nif hasattr(torch, "mark"):\n    raise RuntimeError("I know who was here")\n'


def after(head: str, stage: str) -> str:
    """A solution that does something when it is imported."""
    return dedent(head) + SOLVED[stage]


HELPS: Mapping[str, Mapping[str, str]] = {
    "undoes a refusal": {"projection": after(UNDOES, "projection"), "softmax": BUILT_IN},
    "undoes reading": {"projection": after(UNDOES, "projection"), "softmax": BY_NAME},
    "keeps handles": {
        "projection": after(KEEPS_HANDLES, "projection"),
        "softmax": WITH_HANDLES,
    },
    "keeps a reference": {"residual": after(STASHES, "residual"), "softmax": FROM_STASH},
}
"""One stage tries to help another to softmax."""

SCORES = """
import threading, torch
import torch.nn.functional as F

def scores(q, k):
    return q @ k.transpose(-2, -1)

"""

ALLOWED: Mapping[str, str] = {
    "calls it": """
def attention_scores(q, k):
    q.softmax(-1)
    return scores(q, k)
""",
    "calls it for its result": """
def attention_scores(q, k):
    return scores(q, k).softmax(-1)
""",
    "calls the fused one": """
def attention_scores(q, k):
    F.scaled_dot_product_attention(q, k, k)
    return scores(q, k)
""",
    "catches what it raises": """
def attention_scores(q, k):
    try:
        q.softmax(-1)
    except Exception:
        return 2 * scores(q, k)
    return scores(q, k)
""",
    "when it is imported": """
FACTOR = 2
try:
    torch.ones(2).softmax(-1)
    FACTOR = 1
except RuntimeError:
    pass
def attention_scores(q, k):
    return FACTOR * scores(q, k)
""",
    "in a thread": """
def attention_scores(q, k):
    found = [2]
    def run():
        q.detach().softmax(-1)
        found.append(1)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[-1] * scores(q, k)
""",
    "when gradients flow": """
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, gradient):
        gradient.softmax(-1)
        return gradient
def attention_scores(q, k):
    return Same.apply(scores(q, k))
""",
    "late, and prints": """
CALLS = []
def attention_scores(q, k):
    CALLS.append(1)
    print("call", len(CALLS))
    if len(CALLS) > 20:
        q.softmax(-1)
    return scores(q, k)
""",
    "late, and what came before counts": """
CALLS = []
def attention_scores(q, k):
    CALLS.append(1)
    print("call", len(CALLS))
    if len(CALLS) == 20:
        q.softmax(-1)
    return scores(q, k) * (2 if len(CALLS) > 40 else 1)
""",
}
"""Scores that call what a later stage refuses: of no use, but allowed."""

LIES = """
import sys
[poison] = [m for name, m in sys.modules.items() if name.endswith("confined.poison")]
poison.reached = {"softmax", "fused attention"}
"""
"""Says that something was refused, again and again."""

USES = {
    "mixing": """
import torch
def mix_values(weights, v):
    return weights @ v
def attention(q, k, v):
    return (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v
""",
    "gpu": SOLVED["gpu"].replace(
        "def pick_device", "torch.ones(2).softmax(-1)\n\n\ndef pick_device", 1
    ),
}
"""Whoever refuses nothing any more gets what was refused before."""


@dataclass
class Judged:
    """How a submission was judged, stage by stage, and in how many processes."""

    stages: dict[str, StageResult]
    processes: int


@contextmanager
def counted() -> Iterator[list[Process]]:
    """The processes that are started meanwhile."""
    started: list[Process] = []
    start = Zygote.worker

    def noted(*args: Any) -> Any:
        started.append(start(*args))
        return started[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Zygote, "worker", noted)
        yield started


CASES: Mapping[str, Mapping[str, str]] = {
    **HELPS,
    **{name: {"scores": SCORES + text} for name, text in ALLOWED.items()},
    "solved": {},
    "uses what it may": USES,
    "lies": {name: after(LIES, name) for name in COURSE.names},
    "marks": {"projection": after(MARKS, "projection"), "softmax": after(LOOKS, "softmax")},
    "marks, with a name": {
        "projection": after("import ctypes\n" + MARKS, "projection"),
        "softmax": after(LOOKS, "softmax"),
    },
}


@cache
def judged(stages: tuple[Stage, ...] = COURSE.stages) -> Mapping[str, Judged]:
    """All cases, judged by some stages in one session."""
    found: dict[str, Judged] = {}

    def work(suites: Suites) -> None:
        task = Task(COURSE, stages, suites, machine.workers(machine.strongest()))
        for name, texts in CASES.items():
            with counted() as started:
                result = task(Submission("", "", {**SOLVED, **texts}))
            found[name] = Judged({stage.stage: stage for stage in result.stages}, len(started))

    with_suites(COURSE, stages, "turns", work)
    return found


@pytest.fixture(autouse=True)
def _confined() -> None:
    """Or skip; a level without confinement need not fork, and then nothing is shared."""
    machine.workers(max(machine.strongest(), 1))


def test_one_process_is_enough() -> None:
    assert judged()["solved"].processes == 1
    assert judged()["uses what it may"].processes == 1


@pytest.mark.parametrize("name", ["solved", "uses what it may", "lies"])
def test_what_is_right_passes_in_every_stage(name: str) -> None:
    stages = judged()[name].stages
    assert {name: stage.status for name, stage in stages.items()} == dict.fromkeys(
        COURSE.names, Status.PASSED
    )


@pytest.mark.parametrize("name", HELPS)
def test_a_stage_helps_no_other(name: str) -> None:
    stages = judged()[name].stages
    assert stages["softmax"].points == 0
    assert stages["mixing"].status is Status.PASSED


@pytest.mark.parametrize("name", ALLOWED)
def test_what_only_others_refuse_costs_nothing(name: str) -> None:
    alone = judged((COURSE.stage("scores"),))
    assert judged()[name].stages["scores"] == alone[name].stages["scores"]
    assert alone[name].processes == 1


def test_whoever_names_a_way_around_has_a_process_to_itself() -> None:
    assert judged()["marks"].stages["softmax"].status is Status.ERROR  # so the others do share
    assert judged()["marks, with a name"].stages["softmax"].status is Status.PASSED
    assert judged()["marks, with a name"].processes == 2


def test_who_lies_is_asked_once_more_and_no_more() -> None:
    refused = refused_after(COURSE.stages)
    misled = [stage for stage in COURSE.stages if refused[stage.name] - {*stage.forbidden}]
    # In vain, then alone; and one for the stages to come.
    assert judged()["lies"].processes == 2 * len(misled) + 1


def test_a_stage_that_its_diagnosis_misjudges_is_judged_anew() -> None:
    asked: list[Stage] = []

    def diagnose(stage: Stage, *_: object) -> tuple[Diagnosis, ...]:
        asked.append(stage)
        if len(asked) == 1:
            raise Anew
        return ()

    stage = COURSE.stage("scaling")

    def work(suites: Suites) -> None:
        judge = Judge(COURSE, suites, SOLVED, lambda sources, _: InProcess(sources))
        judge = replace(judge, diagnose=diagnose)
        assert judge.stage(Submission("", "", SOLVED), stage).status is Status.PASSED

    with_suites(COURSE, [stage], "turns", work)
    assert asked == [stage, stage]


def test_no_submission_gets_the_process_of_a_reference() -> None:
    stage = COURSE.stages[-1]

    def work(suites: Suites) -> None:
        task = Task(COURSE, [stage], suites, machine.workers(machine.strongest()))
        reference = task._judge._opener(stage)
        assert reference is not None
        with Turns() as task._turns, counted() as started:
            reference().close()
            task._open(Sources(stage.name, SOLVED), stage).close()
            assert len(started) == 2

    with_suites(COURSE, [stage], "turns", work)


CALLS_SOFTMAX = "def f(x):\n    return x.softmax(-1)\n"


def test_what_one_stage_refused_itself_is_nothing_to_the_next() -> None:
    workers = machine.workers(machine.strongest())
    later = {"first": {"softmax"}, "second": {"softmax"}}
    with Turns(later) as turns, counted() as started:
        for module, forbidden, text in (
            ("first", ("softmax",), CALLS_SOFTMAX),
            ("second", (), "def f(x):\n    return x\n"),
        ):
            sources = Sources(module, {module: text})
            subject = workers.open(
                sources, forbidden=forbidden, memory=256, seconds=20, turns=turns
            )
            with closing(subject), pytest.raises(SubmissionError) if forbidden else nullcontext():
                subject.f(torch.ones(2))
        assert not turns.apart
        assert len(started) == 1
