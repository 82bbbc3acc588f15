"""A learner's own stages, one after the other: what the record's `chain` says of them."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import dedent

import pytest

from grader import course as courses
from grader.chain import load, run_chain
from grader.course import Course, CourseError, Stage
from grader.record import Chain, Status
from grader.subject.alone import Alone
from grader.subject.protocol import Sources
from grader.submission import Submission, read_folder
from grader.suite.session import Suites, with_suites

ROOT = Path(__file__).parents[2]
COURSE = courses.load(ROOT)
SOLVED = read_folder(ROOT / "solutions", COURSE.names)


@dataclass
class Opener:
    """Opens subjects in this process and notes of which stages."""

    opened: list[str] = field(default_factory=list)

    def __call__(self, sources: Sources, stage: Stage) -> Alone:
        self.opened.append(stage.name)
        return Alone(sources, stage.forbidden)


def chain(submission: Submission, course: Course = COURSE, opener: Opener | None = None) -> Chain:
    """Judge the chain inside a session of suites, as `check` does."""
    found = []

    def work(_: Suites) -> None:
        found.append(run_chain(course, load(course), submission, opener or Opener()))

    with_suites(course, [course.stages[-1]], "a seed of the tests", work)
    return found[0]


def with_module(name: str, text: str) -> Submission:
    """The solutions, one module replaced."""
    return replace(SOLVED, texts={**SOLVED.texts, name: text})


def with_change(name: str, before: str, after: str) -> Submission:
    """The solutions, one line of one module changed."""
    assert before in SOLVED.texts[name]
    return with_module(name, SOLVED.texts[name].replace(before, after))


def in_a_hurry(course: Course) -> Course:
    """The course, with a time limit that a test can wait for."""
    return replace(course, stages=tuple(replace(s, seconds=0.3) for s in course.stages))


def test_right_stages_pass_and_one_subject_is_enough() -> None:
    opener = Opener()
    assert chain(SOLVED, opener=opener) == Chain(Status.PASSED)
    assert opener.opened == ["residual"]


@pytest.mark.parametrize(
    ("stage", "before", "after", "said"),
    [
        ("projection", "return x @ weight", "return x @ weight + 1", "project(x, weight)"),
        (
            "projection",
            "project(x, w_q), project(x, w_k)",
            "project(x, w_k), project(x, w_q)",
            "q:",
        ),
        ("scores", "q @ k.transpose(-2, -1)", "k @ q.transpose(-2, -1)", "batch 0, query"),
        ("scaling", "math.sqrt(d_k)", "d_k", "d_k     5"),
        ("softmax", "dim=-1", "dim=-2", "weights:"),
        ("mixing", "weights @ v", "v.mean(-2, keepdim=True).expand_as(weights @ v)", "mix_values"),
        (
            "mixing",
            "row_softmax(scores), v",
            "row_softmax(scores), v.flip(-1)",
            "attention(q, k, v)",
        ),
        ("residual", "x + update", "x - update", "add_residual(x, update)"),
        ("residual", "add_residual(x, project(", "add_residual(0 * x, project(", "attention_block"),
    ],
)
def test_the_first_stage_that_differs_is_named(
    stage: str, before: str, after: str, said: str
) -> None:
    found = chain(with_change(stage, before, after))
    assert found.status is Status.FAILED
    assert found.message.startswith(f"The first difference is in {stage}:\n")
    assert said in found.message
    assert "expected" in found.message


def test_of_two_wrong_stages_the_earlier_is_named() -> None:
    both = with_change("softmax", "dim=-1", "dim=-2")
    wrong_scale = SOLVED.texts["scaling"].replace("math.sqrt(d_k)", "d_k")
    found = chain(replace(both, texts={**both.texts, "scaling": wrong_scale}))
    assert found.message.startswith("The first difference is in scaling:")


def test_what_agrees_in_the_end_agrees() -> None:
    """The scale moved from its own stage into the scores."""
    moved = with_change("scores", "k.transpose(-2, -1)", "k.transpose(-2, -1) / k.shape[-1] ** 0.5")
    unscaled = SOLVED.texts["scaling"].replace("scores / math.sqrt(d_k)", "scores + 0")
    assert chain(replace(moved, texts={**moved.texts, "scaling": unscaled})).status is Status.PASSED


def test_an_operation_that_a_stage_refuses_is_no_matter_of_the_chain() -> None:
    built_in = "def row_softmax(scores):\n    return scores.softmax(-1)\n"
    assert chain(with_module("softmax", built_in)).status is Status.PASSED
    texts = {**SOLVED.texts, "softmax": built_in, "residual": "raise OSError('no')"}
    assert "first that stops is residual" in chain(replace(SOLVED, texts=texts)).message


def test_nothing_runs_while_stages_are_missing() -> None:
    texts = {name: text for name, text in SOLVED.texts.items() if name != "softmax"}
    texts["scores"] = "def attention_scores(q, k):\n    raise NotImplementedError\n"
    texts["mixing"] = "def mix_values(weights, v:\n"
    opener = Opener()
    found = chain(replace(SOLVED, texts=texts), opener=opener)
    assert found.status is Status.NOT_JUDGED
    assert "scores (not started), softmax (not submitted), mixing (error)" in found.message
    assert opener.opened == []


def test_a_stage_outside_the_chain_may_be_missing() -> None:
    texts = {name: text for name, text in SOLVED.texts.items() if name != "gpu"}
    assert chain(replace(SOLVED, texts=texts)).status is Status.PASSED


def test_a_stage_half_written_is_not_judged() -> None:
    found = chain(with_change("mixing", "return weights @ v", "raise NotImplementedError('mix')"))
    assert found.status is Status.NOT_JUDGED
    assert found.message.startswith("Still to be written, in mixing:\nNot written yet: mix")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("return weights @ v.mT", "RuntimeError"),
        ("return None", "None (is a `return` missing?)"),
        ("raise KeyError('v')", "KeyError: 'v'"),
        ("return undefined", "NameError"),
    ],
)
def test_a_stage_that_stops_is_named_with_its_line(line: str, said: str) -> None:
    found = chain(with_change("mixing", "return weights @ v", line))
    assert found.status in {Status.ERROR, Status.FAILED}
    assert "mixing:\nmix_values(weights, v)\n" in found.message
    assert said in found.message
    assert found.status is Status.FAILED or line in found.message


def test_a_stage_that_leaves_the_program_stops_nothing() -> None:
    found = chain(with_change("mixing", "return weights @ v", "raise SystemExit(0)"))
    assert found.message.startswith("The first that stops is mixing:\nSystemExit: 0\n")


def test_an_endless_loop_ends_and_is_shown() -> None:
    endless = with_change("scaling", "return scores", "while True: pass\n    return scores")
    found = chain(endless, in_a_hurry(COURSE))
    assert found.status is Status.ERROR
    assert "Too slow: no answer within 0.3 s" in found.message
    assert "while True: pass" in found.message


def test_an_endless_loop_that_holds_every_exception_ends() -> None:
    body = """\
import time
    while True:
        try:
            time.sleep(60)
        except Exception:
            pass"""
    endless = with_change("scaling", "return scores / math.sqrt(d_k)", body)
    assert "Too slow" in chain(endless, in_a_hurry(COURSE)).message


def test_what_stages_print_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    loud = with_change("scaling", "return scores", "print('loud')\n    return scores")
    assert chain(loud).status is Status.PASSED
    assert "loud" not in capfd.readouterr().out


def test_an_alarm_that_was_set_before_goes_on() -> None:
    before = signal.setitimer(signal.ITIMER_REAL, 200)
    try:
        subject = Alone(Sources("toy", {"toy": "def one():\n    return 1\n"}))
        subject.begin(5)
        assert subject.one() == 1
        assert 100 < signal.getitimer(signal.ITIMER_REAL)[0] <= 200
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)


TOY = {
    "course.toml": """
        name = "toy"
        title = "Twice and once more"
        [[stage]]
        name = "double"
        title = "Twice"
        points = 1
        minutes = 1
        seconds = 5
        memory = 512
        [[stage]]
        name = "more"
        title = "One more"
        points = 1
        minutes = 1
        seconds = 5
        memory = 512
    """,
    "tests/stages/public/more.py": """
        import pytest

        @pytest.mark.check("Nothing", points=1)
        def test_nothing():
            pass
    """,
    "tests/stages/chain.py": """
        import numpy as np
        from grader.chain import Step
        from grader.suite import Function

        TWICE = Function("twice", {"x": "n"}, {"y": "n"}, lambda x: 2 * x, abs)
        MORE = Function("more", {"x": "n"}, {"y": "n"}, lambda x: 2 * x + 1, abs)
        STEPS = (Step("double", TWICE, ("x",), ("y",)), Step("more", MORE, ("x",), ("y",)))

        def start():
            return {"x": np.arange(3.0)}
    """,
}
DOUBLE = "def twice(x):\n    return 2 * x\n"
MORE = "from .double import twice\n\ndef more(x):\n    return twice(x) + 1\n"


def toy(folder: Path, changes: Mapping[str, str] = TOY) -> Course:
    for name, text in {**TOY, **changes}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    return courses.load(folder)


def test_another_course_has_a_chain_of_its_own(tmp_path: Path) -> None:
    course = toy(tmp_path)
    right = Submission("toy", "", {"double": DOUBLE, "more": MORE})
    assert chain(right, course).status is Status.PASSED
    wrong = Submission("toy", "", {"double": DOUBLE.replace("2", "3"), "more": MORE})
    assert "first difference is in double:\ntwice(x)" in chain(wrong, course).message


def test_a_course_without_a_chain_is_not_judged(tmp_path: Path) -> None:
    course = toy(tmp_path)
    (tmp_path / "tests" / "stages" / "chain.py").unlink()
    found = chain(Submission("toy", "", {"double": DOUBLE, "more": MORE}), course)
    assert found == Chain(Status.NOT_JUDGED, "This course has no chain.")


@pytest.mark.parametrize(
    ("text", "said"),
    [("STEPS = (", "SyntaxError"), ("STEPS = ()", "start"), ("import nmupy", "nmupy")],
)
def test_a_broken_chain_is_the_courses_fault(tmp_path: Path, text: str, said: str) -> None:
    course = toy(tmp_path, {"tests/stages/chain.py": text})
    with pytest.raises(CourseError, match=said):
        chain(Submission("toy", "", {}), course)


def test_a_chain_of_an_unknown_stage_is_the_courses_fault(tmp_path: Path) -> None:
    renamed = TOY["tests/stages/chain.py"].replace('"double"', '"duoble"')
    course = toy(tmp_path, {"tests/stages/chain.py": renamed})
    with pytest.raises(CourseError, match="Did you mean 'double'"):
        chain(Submission("toy", "", {}), course)
