"""The fixtures that checks ask for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Protocol, TypeAlias

import numpy as np
import pytest

from ..course import Course
from ..devices import hardware
from ..devices.cost import Counts, Prepare, counts, table
from ..record import Device
from ..subject import Subject
from .checks import Check
from .probe import Probe

Remark: TypeAlias = Callable[[str], None]
"""`remark(text)`: tell the learner something that costs nothing."""


class Draw(Protocol):
    """`draw(make)`: the probes that `make` designs, with random numbers of this check's own.

    The numbers come from the run's seed and the check's id, and a run draws them once: every
    submission of a run gets the same probes.
    """

    def __call__(
        self, make: Callable[[np.random.Generator], Sequence[Probe]], /
    ) -> Sequence[Probe]:
        """The probes."""
        ...


SUBJECT = pytest.StashKey[Subject]()
SEED = pytest.StashKey[str]()
REMARKS = pytest.StashKey[list[str]]()
FINDINGS = pytest.StashKey[dict[str, Any]]()
"""What a check found out beside its verdict, by the field of the record's `CheckResult`."""
COUNTED = pytest.StashKey[dict[Prepare, Counts]]()
"""What the reference was counted to cost, once a run."""
CHECK = pytest.StashKey[Check]()
COURSE = pytest.StashKey[Course]()
REFERENCE = pytest.StashKey[Callable[[], Subject]]()
DRAWN = pytest.StashKey[dict[Any, Sequence[Probe]]]()


@pytest.fixture
def student(request: pytest.FixtureRequest) -> Subject:
    """The submission that is being judged."""
    subject = request.config.stash[SUBJECT]
    subject.begin(request.node.stash[CHECK].seconds)
    return subject


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> Iterator[Callable[[], Subject]]:
    """Opens the reference, run by the same means as the submission, to be timed against.

    It has the check's time as the submission has. Without a reference the check is not judged.
    """
    with ExitStack() as stack:

        def opened() -> Subject:
            if REFERENCE not in request.config.stash:
                pytest.skip("there is no reference here to be timed against")
            subject = request.config.stash[REFERENCE]()
            stack.callback(subject.close)
            subject.begin(request.node.stash[CHECK].seconds)
            return subject

        yield opened


@pytest.fixture
def ratios(request: pytest.FixtureRequest) -> Mapping[str, float]:
    """How fast the stage must be, from course.toml."""
    return request.config.stash[COURSE].stage(request.path.stem).ratios


@pytest.fixture
def remark(request: pytest.FixtureRequest) -> Remark:
    """Says something that costs nothing; shown where the check passes."""
    remarks: list[str] = request.node.stash.setdefault(REMARKS, [])
    return remarks.append


@pytest.fixture
def cost(
    request: pytest.FixtureRequest, student: Subject, reference: Callable[[], Subject]
) -> Callable[[Prepare], None]:
    """Counts a call, without a clock, for a table beside the reference's; nothing is judged by it.

    Where there is no reference, there is no table.
    """
    counted = request.config.stash.setdefault(COUNTED, {})

    def count(prepare: Prepare) -> None:
        if REFERENCE not in request.config.stash:
            return
        if prepare not in counted:
            counted[prepare] = counts(reference(), prepare)
        rows = table(counts(student, prepare), counted[prepare])
        request.node.stash[FINDINGS]["cost"] = rows

    return count


@pytest.fixture
def judged_on(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """`judged_on("cuda")`: put that accelerator, as it is at this moment, into the record."""

    def note(where: str) -> None:
        request.node.stash[FINDINGS]["device"] = Device(where, **hardware.facts())

    return note


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Draw:
    """Draws a check's probes from the run's seed."""
    check, seed = request.node.stash[CHECK], request.config.stash[SEED]
    drawn = request.config.stash.setdefault(DRAWN, {})

    def probes(make: Callable[[np.random.Generator], Sequence[Probe]]) -> Sequence[Probe]:
        key = (seed, check.id, make)
        if key not in drawn:
            drawn[key] = make(generator(seed if check.hidden else "public", check.id))
        return drawn[key]

    return probes


def generator(seed: str, purpose: str) -> np.random.Generator:
    """Random numbers that depend on the seed and on what they are for, and on nothing else."""
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return np.random.default_rng(np.frombuffer(digest, dtype=np.uint32))
