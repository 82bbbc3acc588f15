"""What the warm process does for a request, and what it does before one comes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from .. import finished, standing
from ..course import Course
from ..own import own_diagnoser, own_judge, reference
from ..record import Chain, StageResult, Status, SubmissionResult, submission_to_dict
from ..submission import Submission, read_folder
from ..suite.session import Suites

Message: TypeAlias = dict[str, Any]
"""What goes over the line: `{"id": 3, "folder": "exercises", "stages": ["softmax"]}`, and back."""
Send: TypeAlias = Callable[[Message], None]


def requests() -> list[Message]:
    """Wait for requests on the input; none when it has closed. Each is written in one piece."""
    return [json.loads(line) for line in os.read(0, 1 << 16).splitlines()]


class Judging:
    """Judges a learner's folder with suites that are collected already."""

    def __init__(self, course: Course, suites: Suites) -> None:
        self._course = course
        self._suites = suites
        self._diagnose = own_diagnoser(course)

    def warm(self) -> Iterator[object]:
        """Load what a first judgement would have to load; it may be left after any step."""
        texts = reference(self._course)
        solved = Submission("reference", "", texts)
        judge = own_judge(self._course, self._suites, self._diagnose, whole=False)
        for stage in self._course.stages:
            if stage.name in texts:
                yield judge.stage(solved, stage)
            yield self._diagnose.of_stage(stage).bank

    def answer(self, request: Message, send: Send) -> None:
        """Judge what is asked for: an answer for each stage, then one with everything."""
        submission = read_folder(Path(request["folder"]), self._course.names)
        stages = [self._course.stage(name) for name in request["stages"]]
        whole = len(stages) == len(self._course.stages)
        judge = own_judge(self._course, self._suites, self._diagnose, whole=whole)

        def tell(stage: StageResult) -> None:
            send({"id": request["id"], "stage": submission_to_dict(_alone(submission, stage))})

        result = judge.judge(submission, stages, tell)
        done = standing.finished(self._course, result.stages)
        page = finished.written(self._course, submission) if done else ""
        send({"id": request["id"], "result": submission_to_dict(result), "page": page})


def _alone(submission: Submission, stage: StageResult) -> SubmissionResult:
    """One stage in the form in which results travel."""
    chain = Chain(Status.NOT_JUDGED)
    return SubmissionResult(submission.id, submission.path, "", 0.0, (stage,), chain)
