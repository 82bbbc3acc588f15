"""What checks are known to ask is asked at once; nothing about a verdict depends on that."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
import torch

from grader import course as courses
from grader.batch.task import Task
from grader.course import Course
from grader.diagnosis.bank import sources, stage_module
from grader.record import CheckResult, StageResult, Status
from grader.subject.confined.frames import Channel
from grader.subject.confined.scripts import Script
from grader.subject.confined.zygote import Zygote
from grader.subject.protocol import Sources
from grader.submission import Submission
from grader.suite import expect, session
from grader.suite.probe import Array, Probe
from grader.suite.session import Suites, with_suites
from harness import agreement
from harness.batch import toy
from harness.confined import machine

Answer = Callable[..., StageResult]
"""From the text of `half` to the result of its stage."""

ASKS_BACK = """
    import pytest, torch

    @pytest.mark.check("Half of the half", points=3)
    def test_again(student):
        x = torch.tensor([3.0, 5.0])
        assert torch.allclose(student.half(student.half(x)), x / 4)
"""
"""A check whose second question is the answer to the first."""

TIMED = """
    import pytest, torch

    @pytest.mark.check("In any time", points=1)
    def test_in_any_time(student):
        assert student.half(torch.ones(1)) == 0.5

    @pytest.mark.check("In time", points=2)
    def test_in_time(student, ratios):
        assert student.half(torch.ones(1)) == 0.5
"""

COUNTS = """
CALLS = []
def half(x):
    CALLS.append(1)
    return x / 2
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return toy.course(tmp_path)


@pytest.fixture(autouse=True)
def _fresh_suites() -> None:
    """Pytest knows a suite's module by its path in the course, which all these courses share."""
    for name in [name for name in sys.modules if name.startswith("tests.stages.")]:
        del sys.modules[name]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What workers are told from here: `perform`, or what they are asked live."""
    told: list[str] = []
    send = Channel.send

    def noted(self: Channel, header: dict[str, Any], *args: Any) -> None:
        told.append("perform" if "perform" in header else header["do"])
        send(self, header, *args)

    monkeypatch.setattr(Channel, "send", noted)
    return told


def judged(course: Course, work: Callable[[Answer], None]) -> None:
    """Do something with a toy course that judges, its rehearsal being over."""
    workers = machine.workers(machine.strongest())

    def started(suites: Suites) -> None:
        task = Task(course, course.stages, suites, workers)

        def half(text: str, double: str = toy.RIGHT["double"]) -> StageResult:
            result = task(Submission("", "", {"double": double, "half": text}))
            return next(stage for stage in result.stages if stage.stage == "half")

        work(half)

    with_suites(course, course.stages, "a seed of the tests", started)


def hide(course: Course, suite: str) -> None:
    """Give the stage `half` another hidden suite."""
    (course.root / "tests/stages/hidden/half.py").write_text(dedent(suite))
    toml = (course.root / "course.toml").read_text()
    before, _, after = toml.rpartition("points = 6")
    (course.root / "course.toml").write_text(f"{before}points = 5{after}")


def check(result: StageResult, name: str) -> CheckResult:
    return next(check for check in result.checks if check.id == f"half.{name}")


def test_a_stage_is_asked_in_one_word(course: Course, sent: list[str]) -> None:
    def work(half: Answer) -> None:
        sent.clear()
        half(toy.RIGHT["half"])
        assert [word for word in sent if word != "load"] == ["perform"] * len(course.stages)

    judged(course, work)


def test_a_check_that_asks_back_is_asked_live(tmp_path: Path, sent: list[str]) -> None:
    course = toy.course(tmp_path)
    hide(course, ASKS_BACK)

    def work(half: Answer) -> None:
        for text, status in (
            (toy.RIGHT["half"], Status.PASSED),
            ("def half(x): return (x / 2).clone()\n", Status.PASSED),
            ("def half(x): return x / 2 + 1e-7\n", Status.PASSED),
            ("def half(x): return x / 3\n", Status.FAILED),
        ):
            sent.clear()
            assert check(half(text), "again").status is status
            asked_live = sent.count("function") > 0
            assert asked_live is ("1e-7" in text or "3" in text)

    judged(courses.load(tmp_path), work)


def test_a_check_of_time_is_never_foreseen(tmp_path: Path, sent: list[str]) -> None:
    hide(toy.course(tmp_path), TIMED)

    def work(half: Answer) -> None:
        for _ in range(2):
            sent.clear()
            assert check(half(toy.RIGHT["half"]), "in_time").status is Status.PASSED
            assert sent.count("function") == 1

    judged(courses.load(tmp_path), work)


def test_equal_answers_are_judged_once(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []
    run = session._run

    def noted(item: pytest.Item) -> CheckResult:
        runs.append(item.name)
        return run(item)

    monkeypatch.setattr(session, "_run", noted)

    def work(half: Answer) -> None:
        first = half(toy.RIGHT["half"])
        runs.clear()
        assert half("def half(x): return x * 0.5\n").checks == first.checks
        assert runs == []
        half("def half(x): return x * 0.5 + 0 * x\n")
        assert runs == []
        assert half("def half(x): return x * 0.25\n").points < first.points
        assert runs

    judged(course, work)


def test_a_diagnosis_asks_live_what_was_not_foreseen_and_no_more(sent: list[str]) -> None:
    """The gradients of a result of another shape are asked for with other numbers."""
    course = agreement.COURSE
    stage = course.stage("gpu")
    known = {mistake.id: mistake for mistake in stage_module(course, "mistakes", stage).MISTAKES}
    given = sources(course, stage, known["gpu/weights_returned"])

    def work(suites: Suites) -> None:
        task = Task(course, [stage], suites, machine.workers(machine.strongest()))
        sent.clear()
        (found,) = task._name_mistakes.mistakes(stage, given)
        assert found.id == "gpu/weights_returned"
        assert sent.count("perform") == 1
        assert sent.count("function") == 1, "the head is made live for its gradients alone"

    with_suites(course, [stage], "a seed of the tests", work)


def test_what_was_said_or_raised_is_told_to_its_own_author(course: Course) -> None:
    def work(half: Answer) -> None:
        for line in ("print('one')", "print('two')", "raise ValueError", "raise ValueError  # 2"):
            message = check(half(f"def half(x):\n    {line}\n"), "numbers_public").message
            assert line.removeprefix("print('").removesuffix("')") in message
        # The same exception from another line of another text.
        moved = check(half("\n\ndef half(x):\n    raise ValueError\n"), "numbers_public").message
        assert "line 4" in moved

    judged(course, work)


@pytest.mark.parametrize(
    ("at_the_second_call", "told"),
    [("import os; os._exit(3)", "exit code 3"), ("import time; time.sleep(99)", "within 2 s")],
    ids=["ends", "hangs"],
)
def test_a_worker_that_ends_costs_one_check_after_the_other(
    course: Course, at_the_second_call: str, told: str
) -> None:
    text = COUNTS.replace("    return", f"    if len(CALLS) == 2: {at_the_second_call}\n    return")

    def work(half: Answer) -> None:
        result = half(text)
        statuses = [check.status for check in result.checks]
        assert statuses == [Status.PASSED, Status.ERROR, Status.PASSED, Status.ERROR]
        assert told in check(result, "untouched_public").message

    judged(course, work)


def test_what_was_printed_is_shown_from_its_check_on(course: Course) -> None:
    wrong = "    if len(CALLS) == 2: print('at the second')\n    return x / 3"
    text = COUNTS.replace("    return x / 2", wrong)

    def work(half: Answer) -> None:
        result = half(text)
        assert "at the second" not in check(result, "numbers_public").message
        assert "at the second" in check(result, "numbers_hidden").message

    judged(course, work)


@pytest.mark.parametrize(
    "left_behind",
    [
        "import torch\ntorch.set_default_dtype(torch.float64)",
        "import torch\ntorch.set_grad_enabled(False)",
        "import torch, random\ntorch.manual_seed(5), random.seed(5)",
        "import sys\nsys.modules[__name__.replace('double', 'half')] = None",
        "print('of another stage')",
    ],
)
def test_a_stage_finds_nothing_of_the_one_before(course: Course, left_behind: str) -> None:
    tells = (
        "import torch, random\n"
        "def half(x):\n"
        "    y = torch.ones(1, requires_grad=True) * 2\n"
        "    print(y.dtype, y.requires_grad, torch.rand(1).item(), random.random())\n"
    )

    def work(half: Answer) -> None:
        double = toy.RIGHT["double"]
        clean, after = half(tells), half(tells, f"{left_behind}\n{double}")
        assert clean.checks == after.checks

    judged(course, work)


def test_a_zygote_that_is_started_again_knows_its_scripts() -> None:
    sources, x = Sources("answer", {"answer": toy.RIGHT["double"]}), torch.ones(2)
    level = machine.strongest()
    zygote = machine.workers(level)  # or skip
    assert isinstance(zygote, Zygote)
    first = zygote.open(sources, memory=256, seconds=60)
    first.record()
    first.begin(60)
    first.double(x)
    zygote.rehearse({"a check": first.recorded()})
    first.close()
    os.kill(zygote.pid, signal.SIGKILL)
    machine.wait_for_end(zygote.pid)
    again = zygote.open(sources, memory=256, seconds=60)
    assert again.foresee("a check", 60) is not None
    again.begin(60)
    assert torch.equal(again.double(x), 2 * x)
    again.close()


def test_no_script_holds_a_right_answer() -> None:
    """A submission could look into its own process for what it will be asked."""
    course, kept = agreement.COURSE, Kept()
    looked_at = 0

    def work(suites: Suites) -> None:
        nonlocal looked_at
        Task(course, course.stages, suites, kept)
        asked = [array(flat) for script in kept.scripts.values() for flat in memory(script)]
        for stage in course.stages:
            for design, probes in suites.drawn(stage.name).items():
                for probe in probes if design != "worked" else ():  # everybody has that one
                    given = [array(t) for t in probe.tensors(torch.float64) if torch.is_tensor(t)]
                    for right in answers(probe):
                        if right.size > 3 and not is_among(right, given):
                            looked_at += 1
                            assert not is_among(right, asked), (stage.name, design)

    with_suites(course, course.stages, "a seed of the tests", work)
    assert looked_at > 100


class Kept:
    """Workers that keep the scripts to themselves."""

    def __init__(self) -> None:
        self._workers = machine.workers(machine.strongest())
        self.open, self.isolation = self._workers.open, self._workers.isolation
        self.scripts: Mapping[str, Script] = {}

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None: ...

    def close(self) -> None: ...

    def rehearse(self, scripts: Mapping[str, Script]) -> None:
        self.scripts = scripts


def answers(probe: Probe) -> list[Array]:
    """The right answers; none for a call that must be refused."""
    with suppress(ValueError):
        return [right.ravel() for right in probe.expected(torch.float64)]
    return []


def memory(script: Script) -> Iterator[torch.Tensor]:
    for line in script:
        yield from line.memory.values()


def is_among(right: Array, others: Iterable[Array]) -> bool:
    """Whether numbers are those of a right answer, to any precision that a check could ask for."""
    spread = float(np.abs(right).max()) or 1
    same = (other for other in others if other.shape == right.shape)
    return any(np.abs(other - right).max() < 1e-3 * spread for other in same)


def array(flat: torch.Tensor) -> Array:
    return expect.array(flat).ravel()
