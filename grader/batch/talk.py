"""What the run and the processes that judge for it say to each other: a line of JSON each.

Both sides are the grader's own. Submissions run in workers of the judging process, from which no
line comes here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import IO, Any

from ..submission import Submission


@dataclass(frozen=True)
class Orders:
    """What a process shall judge by.

    Attributes:
        root: the course's folder.
        stages: names of the stages to judge.
        seed: what hidden inputs are drawn from.
        trust: whether submissions may run unconfined.
        level: the level of confinement to use; None for the strongest that holds.
    """

    root: str
    stages: tuple[str, ...]
    seed: str = field(repr=False)
    trust: bool = False
    level: int | None = None


class Part(StrEnum):
    """What of a submission is to be judged in one place."""

    WHOLE = "whole"
    PLAIN = "plain"
    """Everything but the stages that are judged on an accelerator."""
    ACCELERATED = "accelerated"
    """These stages, and nothing else."""


def say(stream: IO[str], **line: Any) -> None:
    """Send one line."""
    stream.write(json.dumps(line) + "\n")
    stream.flush()


def hear(stream: IO[str]) -> dict[str, Any] | None:
    """Receive one line; None when the other side is gone."""
    text = stream.readline()
    if not text.endswith("\n"):
        return None
    line: dict[str, Any] = json.loads(text)
    return line


def packed(submission: Submission) -> dict[str, Any]:
    """What a judging process needs of a submission."""
    return {"texts": dict(submission.texts), "problems": dict(submission.problems)}


def unpacked(line: Mapping[str, Any]) -> Submission:
    """A submission from `packed`."""
    return Submission("", "", line["texts"], problems=line["problems"])


def orders_from(line: Mapping[str, Any]) -> Orders:
    """Orders that were sent as a line."""
    return Orders(**{**line, "stages": tuple(line["stages"])})


def orders_line(orders: Orders) -> dict[str, Any]:
    """Orders as a line."""
    return asdict(orders)
