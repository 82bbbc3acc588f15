"""The record: what is known about judged submissions. Every report is drawn from it alone.

Its published form is `record.schema.json`, beside this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
SCHEMA_FILE = Path(__file__).with_name("record.schema.json")
OUT_OF_TIME = "No answer within"
"""How the message of a check begins whose time limit was reached."""


class Status(StrEnum):
    """How a check, a stage or the chain came out."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_STARTED = "not_started"
    NOT_SUBMITTED = "not_submitted"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True)
class Cost:
    """One line of a table: what a call costs, beside what the reference's costs.

    Attributes:
        what: what was counted, in words for a learner.
        yours: the submission's count.
        reference: the reference's count.
    """

    what: str
    yours: int
    reference: int

    @property
    def times(self) -> float:
        """How many times the reference's count; infinite where the reference needs none."""
        if self.reference:
            return self.yours / self.reference
        return float("inf") if self.yours else 1.0


@dataclass(frozen=True)
class Device:
    """An accelerator that something was judged on, in its own words; empty where it has none.

    Attributes:
        where: PyTorch's name for it, such as "cuda".
        name: the maker's.
        driver: the driver's version.
        clock: its clock in MHz, under load.
        temperature: in °C, under load.
        throttling: why it was slower than it could be, as the maker's bits.
    """

    where: str
    name: str = ""
    driver: str = ""
    clock: str = ""
    temperature: str = ""
    throttling: str = ""


@dataclass(frozen=True)
class CheckResult:
    """One check's verdict. A passed check that has a message carries a remark, at no cost."""

    id: str
    title: str
    hidden: bool
    status: Status
    points: float
    max_points: float
    message: str = ""
    reason: str = ""
    """Why a check could not be judged here."""
    cost: tuple[Cost, ...] = ()
    """What a call was counted to cost, whatever the verdict."""
    device: Device | None = None
    """The accelerator, if it took one to judge this."""

    @property
    def out_of_time(self) -> bool:
        """Whether the check reached its time limit."""
        return self.status is Status.ERROR and self.message.startswith(OUT_OF_TIME)


@dataclass(frozen=True)
class Diagnosis:
    """A mistake named from the learner's own numbers."""

    id: str
    message: str
    match: str
    """`exact`: the numbers are those of a known mistake; `property`: a measured property fits."""


@dataclass(frozen=True)
class StageResult:
    """One stage of one submission: its checks, and what is wrong with it."""

    stage: str
    status: Status
    max_points: float
    checks: tuple[CheckResult, ...] = ()
    diagnosis: tuple[Diagnosis, ...] = ()
    message: str = ""
    """Why nothing could be run: a syntax error and its line, say."""

    @property
    def points(self) -> float:
        """Points gained."""
        return sum(check.points for check in self.checks)

    @property
    def max_judged(self) -> float:
        """What could be gained on this machine: all but the checks that were not judged.

        A stage that could not be run (not started, not submitted, a syntax error) counts whole: it
        gains nothing on any machine, so nothing of it is left to be judged on another one.
        """
        unjudged = (c.max_points for c in self.checks if c.status is Status.NOT_JUDGED)
        return self.max_points - sum(unjudged)

    @property
    def cost(self) -> tuple[Cost, ...]:
        """What a call of this stage costs; empty where nothing was counted."""
        return next((check.cost for check in self.checks if check.cost), ())

    def first_failure(self) -> CheckResult | None:
        """The first check that failed or raised, if there is one."""
        bad = (c for c in self.checks if c.status in {Status.FAILED, Status.ERROR})
        return next(bad, None)


@dataclass(frozen=True)
class Chain:
    """The learner's own stages run one after the other, for no points."""

    status: Status
    message: str = ""


@dataclass(frozen=True)
class SubmissionResult:
    """One submission, judged."""

    id: str
    path: str
    digest: str
    seconds: float
    stages: tuple[StageResult, ...]
    chain: Chain
    notes: tuple[str, ...] = ()
    """What there is to say of its files: what was left alone, and why."""

    @property
    def points(self) -> float:
        """Points gained in all stages."""
        return sum(stage.points for stage in self.stages)

    @property
    def max_points(self) -> float:
        """What the judged stages are worth."""
        return sum(stage.max_points for stage in self.stages)

    @property
    def max_judged(self) -> float:
        """What could be gained on this machine."""
        return sum(stage.max_judged for stage in self.stages)

    @property
    def device(self) -> Device | None:
        """The accelerator that something was judged on, if there was one."""
        found = (check.device for stage in self.stages for check in stage.checks)
        return next((device for device in found if device), None)

    @property
    def complete(self) -> bool:
        """Whether everything could be judged here."""
        return self.max_judged == self.max_points


@dataclass(frozen=True)
class Isolation:
    """What kept the submission from the grader while it ran, and what did not."""

    level: int
    enforced: tuple[str, ...] = ()
    not_enforced: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """Everything that is shown or stored about one run of the grader."""

    course: str
    suite: str
    """SHA-256 of the suites, the oracle and course.toml."""
    seed: str
    isolation: Isolation
    submissions: tuple[SubmissionResult, ...] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data, in the published form."""
        head = asdict(self)
        head["submissions"] = [submission_to_dict(s) for s in self.submissions]
        return {"schema": SCHEMA_VERSION, **head}

    def write(self, file: Path) -> None:
        """Write the record as JSON; a reader never sees half of it."""
        write(self, self.submissions, file)


def write(head: Record, submissions: Iterable[SubmissionResult], file: Path) -> None:
    """Write a record as JSON, holding one submission at a time; a reader never sees half of it.

    Args:
        head: all but the submissions.
        submissions: these, read once.
        file: where to.
    """
    part = file.with_name(file.name + ".part")
    # A lone surrogate in a submission's message is no UTF-8; `\udc00` is its JSON escape.
    with part.open("w", encoding="utf-8", errors="backslashreplace") as out:
        out.write(_indented(replace(head, submissions=()).to_dict()).removesuffix("]\n}"))
        between = "\n  "
        for result in submissions:
            out.write(between + _indented(submission_to_dict(result)).replace("\n", "\n  "))
            between = ",\n  "
        out.write("\n ]\n}" if between.startswith(",") else "]\n}")
    part.replace(file)


def _indented(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False)


def submission_to_dict(result: SubmissionResult) -> dict[str, Any]:
    """One submission in the published form, with its totals."""
    data = asdict(result)
    stages, chain = data.pop("stages"), data.pop("chain")
    for stage, source in zip(stages, result.stages, strict=True):
        stage["points"] = source.points
        for check in stage["checks"]:
            for key in _OPTIONAL:
                if not check[key]:
                    del check[key]
    totals = {
        "points": result.points,
        "max_points": result.max_points,
        "max_judged": result.max_judged,
        "complete": result.complete,
    }
    return {**data, **totals, "stages": stages, "chain": chain}


_OPTIONAL = ("cost", "device")
"""Of a check, what is left out where there is nothing to say."""


def submission_from_dict(data: dict[str, Any]) -> SubmissionResult:
    """Read one submission back; its totals are computed, not believed."""
    return SubmissionResult(
        id=data["id"],
        path=data["path"],
        digest=data["digest"],
        seconds=data["seconds"],
        stages=tuple(_stages(data["stages"])),
        chain=Chain(Status(data["chain"]["status"]), data["chain"]["message"]),
        notes=tuple(data.get("notes", ())),
    )


def _stages(rows: Iterable[dict[str, Any]]) -> Iterator[StageResult]:
    for row in rows:
        checks = tuple(map(_check, row["checks"]))
        yield StageResult(
            stage=row["stage"],
            status=Status(row["status"]),
            max_points=row["max_points"],
            checks=checks,
            diagnosis=tuple(Diagnosis(**d) for d in row["diagnosis"]),
            message=row["message"],
        )


def _check(row: dict[str, Any]) -> CheckResult:
    device = row.get("device")
    read = {
        "status": Status(row["status"]),
        "cost": tuple(Cost(**line) for line in row.get("cost", ())),
        "device": Device(**device) if device else None,
    }
    return CheckResult(**{**row, **read})


def from_dict(data: dict[str, Any]) -> Record:
    """Read a record back from its published form."""
    isolation = data["isolation"]
    return Record(
        course=data["course"],
        suite=data["suite"],
        seed=data["seed"],
        isolation=Isolation(
            isolation["level"], tuple(isolation["enforced"]), tuple(isolation["not_enforced"])
        ),
        submissions=tuple(submission_from_dict(s) for s in data["submissions"]),
    )


def read(file: Path) -> Record:
    """Read a record that `Record.write` wrote."""
    return from_dict(json.loads(file.read_text(encoding="utf-8")))
