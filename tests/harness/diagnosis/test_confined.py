"""A mistake is named the same way whether the submission runs here or in a worker."""

from pathlib import Path

import pytest

from grader import course as courses
from grader.course import Stage
from grader.diagnosis.engine import Diagnoser
from grader.subject import Subject
from grader.subject.protocol import Sources
from harness.confined import machine
from harness.diagnosis.telling import FAILED, HEAD, ROOT, softmax, told

ANSWERS = {
    "columns": softmax("e = (scores - scores.amax(-2, True)).exp()", "return e / e.sum(-2, True)"),
    "two": softmax("w = torch.exp(scores)", "return w / w.sum(-2, True)"),
    "in place": softmax(
        "scores -= scores.amax(-1, True)", "return scores.exp() / scores.exp().sum(-1, True)"
    ),
    "cut off": softmax("return (scores - scores.logsumexp(-1, True)).exp().detach()"),
    "float32": softmax("s = scores.float()", "return (s - s.logsumexp(-1, True)).exp()"),
    "by chance": softmax("return F.dropout((scores - scores.logsumexp(-1, True)).exp(), 0.3)"),
    "raising": softmax("return scores.exp() / scores.exp().sum(-1)"),
    "views": softmax(
        "s = scores.view(-1, scores.shape[-1])",
        "return (s - s.logsumexp(-1, True)).exp().view(scores.shape)",
    ),
    "built in": softmax("return F.softmax(scores, -1)"),
    "unknown": softmax("return scores.exp().cumsum(-1)"),
    "nothing": softmax("return None"),
    "not written": softmax('raise NotImplementedError("later")'),
}


def opened(sources: Sources, stage: Stage) -> Subject:
    return machine.workers(1).open(
        sources, forbidden=stage.forbidden, memory=stage.memory, seconds=stage.seconds
    )


CONFINED = Diagnoser(courses.load(Path(ROOT)), opened)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_worker_changes_nothing(name: str) -> None:
    sources = Sources("softmax", {"softmax": HEAD + ANSWERS[name]})
    confined = CONFINED(CONFINED.course.stage("softmax"), sources, FAILED)
    here = told("softmax", ANSWERS[name])
    assert [(d.id, d.match) for d in confined] == [(d.id, d.match) for d in here]
    if name != "by chance":
        assert confined == here


def test_a_submission_that_dies_ends_in_no_diagnosis() -> None:
    text = HEAD + softmax("import os", "os._exit(0)")
    sources = Sources("softmax", {"softmax": text})
    assert CONFINED(CONFINED.course.stage("softmax"), sources, FAILED) == ()


def test_a_submission_that_never_answers_ends_in_no_diagnosis() -> None:
    text = HEAD + softmax("while True: pass")
    stage = CONFINED.course.stage("softmax")
    quick = Stage(**{**vars(stage), "seconds": 0.5})
    diagnose = Diagnoser(CONFINED.course, opened)
    assert diagnose(quick, Sources("softmax", {"softmax": text}), FAILED) == ()
