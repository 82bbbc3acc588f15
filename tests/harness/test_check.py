"""A learner's check, without a process of its own for each case."""

from pathlib import Path

import pytest

from grader import check as checks
from grader import course as courses
from grader import stubs
from grader.record import Record, StageResult, Status
from grader.submission import Submission, read_folder

COURSE = courses.load(Path(__file__).parents[2])
STUBS = {name: stubs.pristine(COURSE, name) for name in COURSE.names}
SOLUTIONS = read_folder(COURSE.root / "solutions", COURSE.names).texts


def judged(**solved: str) -> Record:
    """The record of untouched stubs in which some modules have another text."""
    submission = Submission("me", "exercises", {**STUBS, **solved})
    return checks.check(COURSE, submission, COURSE.stages, lambda _: None)


@pytest.mark.parametrize("name", COURSE.names)
def test_one_solved_stage_turns_green_alone(name: str) -> None:
    result = judged(**{name: SOLUTIONS[name]}).submissions[0]
    states = {stage.stage: stage.status for stage in result.stages}
    assert states.pop(name) is Status.PASSED
    assert set(states.values()) == {Status.NOT_STARTED}
    assert result.points == next(s.max_judged for s in result.stages if s.stage == name)


def test_a_solution_reports_each_stage_as_it_is_done() -> None:
    told: list[StageResult] = []
    submission = Submission("me", "exercises", SOLUTIONS)
    record = checks.check(COURSE, submission, COURSE.stages, told.append)
    assert tuple(told) == record.submissions[0].stages
    assert record.submissions[0].chain.status is Status.PASSED


def test_two_checks_draw_different_hidden_inputs() -> None:
    assert judged().seed != judged().seed


def test_the_suite_digest_changes_with_a_suite_and_with_the_course(tmp_path: Path) -> None:
    from grader import digest

    (tmp_path / "tests/stages/hidden").mkdir(parents=True)
    suite = tmp_path / "tests/stages/hidden/softmax.py"
    suite.write_text("a")
    (tmp_path / "course.toml").write_text("b")
    course = courses.Course("c", "C", COURSE.stages, tmp_path)
    before = digest.of_suites(course)
    suite.write_text("b")
    assert digest.of_suites(course) != before
    suite.write_text("a")
    assert digest.of_suites(course) == before
