"""The chain: a learner's own stages run one after the other, for no points.

A stage is judged with the reference in place of the stages before it. Here nothing of the
reference takes part: the last step of the chain is called with the learner's own modules as its
siblings. Only where its answer is not right are the steps before it looked at, each given right
inputs, to find the first that differs.

Which steps a course's chain has is data: `tests/stages/chain.py` in the course's folder.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import torch

from .course import Course, CourseError
from .machinery import MachineryError
from .record import Chain, Status
from .standing import unjudgeable
from .subject.protocol import Sources
from .submission import Submission
from .suite import Function, Mismatch, Probe, expect
from .suite.probe import Value
from .suite.verdict import told, unwritten

if TYPE_CHECKING:
    from .judge import Open


@dataclass(frozen=True)
class Step:
    """One call of the chain: a stage's function, and which named values go in and come out."""

    stage: str
    function: Function
    takes: tuple[str, ...]
    """Names of the values for the function's arguments, in their order."""
    gives: tuple[str, ...]
    """Names of the function's results. A later step may give a value again, by another way."""


@dataclass(frozen=True)
class Link:
    """A step with its right inputs."""

    stage: str
    probe: Probe


Links: TypeAlias = Sequence[Link]


def load(course: Course) -> tuple[Link, ...]:
    """The chain of a course; empty where the course has none.

    Its file is read like a suite: inside a session of suites, where `tests/` can be imported.
    It defines `STEPS`, and `start()`, which makes the values that the first steps take; or, in a
    bundle without the oracle, `LINKS` with the answers in them.

    Raises:
        CourseError: the file is there but cannot be used.
    """
    file = course.root / "tests" / "stages" / "chain.py"
    if not file.is_file():
        return ()
    try:
        module = _run(file)
        known = getattr(module, "LINKS", None)
        links = tuple(known or _links(module.start(), module.STEPS))
        for link in links:
            course.stage(link.stage)
    except Exception as error:
        raise CourseError(f"{file} cannot be used: {type(error).__name__}: {error}") from error
    return links


def run_chain(course: Course, links: Links, submission: Submission, open_: Open) -> Chain:
    """Judge a submission's own chain from end to end.

    Args:
        course: the course.
        links: its chain, from `load`.
        submission: what was handed in.
        open_: makes a subject that limits time and keeps output by itself.

    Returns:
        `passed` if the last link's answer is right; `failed` or `error` with the first link whose
        answer is not; `not_judged` if there is no chain, or if its stages are not all written.
    """
    if not links:
        return Chain(Status.NOT_JUDGED, "This course has no chain.")
    unwritten = _unwritten(course, links, submission)
    if unwritten:
        return Chain(Status.NOT_JUDGED, f"Still to be written: {unwritten}.")
    at_the_end = _trouble(course, links[-1], submission, open_)
    if at_the_end is None:
        return Chain(Status.PASSED)
    found = (_trouble(course, link, submission, open_) for link in links[:-1])
    return next((chain for chain in found if chain is not None), at_the_end)


def _run(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("stages.chain", file)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - it is a .py file
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _links(start: Mapping[str, Value], steps: Sequence[Step]) -> list[Link]:
    values, links = dict(start), []
    for step in steps:
        given = zip(step.function.axes, (values[name] for name in step.takes), strict=True)
        probe = Probe(step.function, dict(given))
        values.update(zip(step.gives, probe.expected(torch.float64), strict=True))
        links.append(Link(step.stage, probe))
    return links


def _unwritten(course: Course, links: Links, submission: Submission) -> str:
    """The chain's stages that cannot be run, each with its state."""
    stages = dict.fromkeys(link.stage for link in links)
    blocked = (
        unjudgeable(submission, course.stage(name)) for name in course.names if name in stages
    )
    return ", ".join(f"{b.stage} ({b.status.replace('_', ' ')})" for b in blocked if b)


def _trouble(course: Course, link: Link, submission: Submission, open_: Open) -> Chain | None:
    """What is wrong with a link's answer, the learner's own stages being its siblings."""
    stage = replace(course.stage(link.stage), forbidden=())  # its own suite refuses those
    texts = {
        name: submission.texts[name]
        for name in (*course.before(stage.name), stage.name)
        if name in submission.texts
    }
    subject = open_(Sources(stage.name, texts, submission.files), stage)
    try:
        subject.begin(stage.seconds)
        expect.numbers(subject, link.probe)
    except Mismatch as mismatch:
        return Chain(Status.FAILED, f"The first difference is in {stage.name}:\n{mismatch}")
    except (KeyboardInterrupt, MachineryError):
        raise
    except BaseException as error:  # noqa: BLE001 - a submission may raise anything, an exit too
        return _stopped(stage.name, error)
    finally:
        subject.close()
    return None


def _stopped(stage: str, error: BaseException) -> Chain:
    if unwritten(error):
        return Chain(Status.NOT_JUDGED, f"Still to be written, in {stage}:\n{told(error)}")
    return Chain(Status.ERROR, f"The first that stops is {stage}:\n{told(error)}")
