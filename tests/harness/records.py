"""Records for tests of whatever reads one: a strategy that draws them, and a fixed example."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from grader.course import Course, Stage
from grader.record import (
    Chain,
    CheckResult,
    Cost,
    Device,
    Diagnosis,
    Isolation,
    Record,
    StageResult,
    Status,
    SubmissionResult,
)

MARKER = "hidden-4711"
"""Stands in every message of a hidden check that is made here; no student may ever read it."""

COURSE = Course(
    "attention",
    "Attention, in three stages",
    tuple(
        Stage(name, title, points, minutes=15, seconds=5, memory=512)
        for name, title, points in (
            ("scores", "Attention scores", 10),
            ("softmax", "Row softmax", 20),
            ("gpu", "Running on an accelerator", 20),
        )
    ),
    Path("/course"),
)

_DIGEST = "0123456789abcdef" * 4
_JUDGED = (Status.PASSED, Status.FAILED, Status.ERROR)

_text = st.text(max_size=40)
_any_text = st.text(st.characters(codec=None), max_size=40)  # with lone surrogates and controls
_costs = st.builds(Cost, _text, st.integers(0, 1 << 40), st.integers(0, 1 << 40))
_devices = st.builds(Device, *[_text] * 6)
_points = st.integers(0, 12).map(lambda quarter: quarter / 4)


@st.composite
def checks(draw: st.DrawFn, stage: str) -> CheckResult:
    """One check; a hidden one always has a message, with the marker in it."""
    status = draw(st.sampled_from((*_JUDGED, Status.NOT_JUDGED)))
    hidden = draw(st.booleans())
    worth = draw(_points)
    return CheckResult(
        id=f"{stage}.{draw(st.sampled_from('abcdefgh'))}",
        title=draw(_text),
        hidden=hidden,
        status=status,
        points=worth if status is Status.PASSED else 0,
        max_points=worth,
        message=draw(_any_text) + (MARKER if hidden else ""),
        reason=draw(_text) if status is Status.NOT_JUDGED else "",
        cost=tuple(draw(st.lists(_costs, max_size=2))),
        device=draw(st.none() | _devices),
    )


@st.composite
def stages(draw: st.DrawFn, stage: Stage) -> StageResult:
    """One stage, with checks if it could be run."""
    status = draw(st.sampled_from(Status))
    ran = status in {*_JUDGED, Status.NOT_JUDGED}
    found = draw(st.lists(checks(stage.name), max_size=5)) if ran else []
    named = draw(st.lists(diagnoses(stage.name), max_size=2)) if ran else []
    worth = sum(check.max_points for check in found) if found else stage.points
    return StageResult(stage.name, status, worth, tuple(found), tuple(named), draw(_any_text))


def diagnoses(stage: str) -> st.SearchStrategy[Diagnosis]:
    """A mistake with its sentence."""
    ids = st.sampled_from(["columns", "unscaled", "detached"]).map(lambda name: f"{stage}/{name}")
    return st.builds(Diagnosis, ids, _any_text, st.sampled_from(["exact", "property"]))


@st.composite
def submissions(draw: st.DrawFn, course: Course = COURSE) -> SubmissionResult:
    """One submission that was judged in some of a course's stages."""
    judged = draw(st.lists(st.sampled_from(course.stages), unique=True, max_size=3))
    chain = Chain(draw(st.sampled_from((*_JUDGED, Status.NOT_JUDGED))), draw(_any_text))
    return SubmissionResult(
        id=draw(_any_text),
        path=draw(st.one_of(st.just("/course/work/alice"), _any_text)),
        digest=draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
        seconds=draw(st.floats(0, 1e4)),
        stages=tuple(draw(stages(stage)) for stage in judged),
        chain=chain,
        notes=tuple(draw(st.lists(_any_text, max_size=2))),
    )


def isolations() -> st.SearchStrategy[Isolation]:
    """What was enforced while a submission ran."""
    parts = st.lists(_text, max_size=3).map(tuple)
    return st.builds(Isolation, st.integers(0, 3), parts, parts)


def records(course: Course = COURSE) -> st.SearchStrategy[Record]:
    """A record of some submissions to a course."""
    many = st.lists(submissions(course), max_size=4).map(tuple)
    return st.builds(Record, st.just(course.name), st.just(_DIGEST), _text, isolations(), many)


def check(
    name: str,
    title: str,
    worth: float,
    status: Status = Status.PASSED,
    message: str = "",
    *,
    hidden: bool = False,
    reason: str = "",
) -> CheckResult:
    """One check of the fixed example."""
    gained = worth if status is Status.PASSED else 0
    return CheckResult(name, title, hidden, status, gained, worth, message, reason)


NUMBERS = """\
row_softmax(scores)  scores: (query 4, key 5), float32
weights differ in 20 of 20 entries, most at query 1, key 2
  query 0 to 3, key 0 to 3:
    yours                              expected
    0.0900  0.2447  0.6652  0.0310    0.2119  0.2119  0.5761  0.0112
    0.2447  0.6652  0.0900  0.1042    0.0466  0.9362  0.0171  0.3010
    0.6652  0.0900  0.2447  0.5532    0.7054  0.0351  0.2595  0.1100
    0.0001  0.0001  0.0001  0.3116    0.0361  0.8167  0.1473  0.5778"""

RAISED = """\
TypeError: unsupported operand type(s) for @: 'Tensor' and 'NoneType'
  /course/work/bob/scores.py, line 14, in attention_scores:
    return q @ k.transpose_(-2, -1)"""

SCORES = (
    check("scores.shape", "One score for each query and key", 4),
    check("scores.numbers", "Scores agree with the formula", 6, hidden=True),
)
SOFTMAX = (
    check("softmax.shape", "The weights have the shape of the scores", 4),
    check("softmax.example", "The worked example", 6, Status.FAILED, NUMBERS),
    check("softmax.rows", "Every row adds up to one", 6, Status.FAILED, MARKER, hidden=True),
    check("softmax.kept", "The scores stay as they were", 4, message="A copy was made twice."),
)
GPU = (
    replace(
        check("gpu.device", "Every tensor is made where the input is", 10),
        cost=(Cost("operations", 340, 17), Cost("copies", 2, 0), Cost("bytes allocated", 96, 96)),
    ),
    check("gpu.speed", "Faster than a loop", 10, Status.NOT_JUDGED, reason="no accelerator here"),
)
COLUMNS = Diagnosis(
    "softmax/columns", "Every column of your weights sums to 1; each row must.", "exact"
)

ALICE = SubmissionResult(
    "alice",
    "/course/work/alice",
    _DIGEST,
    0.214,
    (
        StageResult("scores", Status.PASSED, 10, SCORES),
        StageResult("softmax", Status.FAILED, 20, SOFTMAX, (COLUMNS,)),
        StageResult("gpu", Status.PASSED, 20, GPU),
    ),
    Chain(Status.FAILED, "Your stages agree with the reference up to softmax, and differ there."),
)
"""Most is right, one mistake is named, one check could not be judged."""

BOB = SubmissionResult(
    'Müller, Bob "=1+1"',
    "/course/work/bob",
    "f" * 64,
    5.25,
    (
        StageResult(
            "scores",
            Status.FAILED,
            10,
            (
                check("scores.shape", SCORES[0].title, 4, Status.ERROR, RAISED),
                check("scores.numbers", SCORES[1].title, 6, Status.FAILED, MARKER, hidden=True),
            ),
        ),
        StageResult(
            "softmax",
            Status.ERROR,
            20,
            message="SyntaxError: '(' was never closed\n  /course/work/bob/softmax.py, line 3:\n"
            "    return torch.exp((scores",
        ),
        StageResult("gpu", Status.NOT_STARTED, 20),
    ),
    Chain(Status.NOT_JUDGED, "Not every stage is written yet."),
)
"""Nothing works: an exception, a syntax error, a stub."""

EVE = SubmissionResult(
    '=HYPERLINK("http://evil")',
    "/course/work/eve",
    "e" * 64,
    0.1,
    (
        StageResult(
            "scores",
            Status.FAILED,
            10,
            (
                check(
                    "scores.shape",
                    SCORES[0].title,
                    4,
                    Status.FAILED,
                    "scores came back as '</pre><script>alert(1)</script>' of type str; "
                    "expected a tensor",
                ),
                check(
                    "scores.numbers",
                    SCORES[1].title,
                    6,
                    Status.ERROR,
                    f"No answer within 5 s. {MARKER}",
                    hidden=True,
                ),
            ),
            (Diagnosis("scores/text", '<b>bold</b> & "quoted"', "property"),),
        ),
        StageResult("softmax", Status.NOT_SUBMITTED, 20),
        StageResult("gpu", Status.NOT_SUBMITTED, 20),
    ),
    Chain(Status.NOT_JUDGED, "Not every stage is written yet."),
)
"""Markup, a formula for spreadsheets, and a call that never ends."""

CONFINED = Isolation(3, ("namespaces", "Landlock", "seccomp", "rlimits"), ())
TRUSTED = Isolation(0, (), ("network", "files", "memory"))

EXAMPLE = Record(COURSE.name, _DIGEST, "42", CONFINED, (ALICE, BOB, EVE))
