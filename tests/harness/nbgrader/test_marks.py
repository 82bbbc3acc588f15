"""Marks are those of the answers, whatever shape they come in and whatever lies beside them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.utils import determine_grade, is_grade

from grader.nbgrader.notebook import CHECK
from harness import exhaustive
from harness.nbgrader import cheats, graded, intake
from harness.nbgrader.graded import BY_HAND, TWICE, Graded, endless
from harness.nbgrader.handing_in import COURSE, Case

CASES = graded.cases(Path("anywhere"))


def those(which: Callable[[Case], object]) -> list[Any]:
    """Names of cases; those that are not in the sample are left to whole runs."""
    kept = graded.sample(CASES)
    names = [name for name, case in CASES.items() if which(case)]
    return [name if name in kept else exhaustive.full(name) for name in names]


@pytest.mark.parametrize("name", those(lambda case: not case.at_most))
def test_the_marks_are_those_of_the_same_answers_alone(graded: Graded, name: str) -> None:
    assert stages(graded, name) == stages(graded, CASES[name].twin)


@pytest.mark.parametrize("name", those(lambda case: case.at_most))
def test_a_cheat_that_breaks_its_own_answer_gains_nothing(graded: Graded, name: str) -> None:
    assert graded.total(name) <= graded.total(CASES[name].twin)


def test_the_wrong_answer_is_worth_little_and_the_right_ones_all(graded: Graded) -> None:
    worth = {stage.name: stage.points for stage in COURSE.stages}
    assert 0 <= graded.total(cheats.PLAIN) < worth["softmax"] / 2
    assert graded.total(intake.RIGHT) == sum(worth[name] for name in intake.TWO)
    assert graded.total("nothing") == 0


def test_the_command_says_where_the_marks_are_and_what_comes_next(graded: Graded) -> None:
    assert f"The marks are in {graded.folder}/gradebook.db" in graded.said
    assert "nox -s feedback" in graded.said


def test_nobody_changed_the_gradebook_or_the_settings(graded: Graded) -> None:
    for student, facts in graded.facts.items():
        assert set(facts["manual"]) == ({None, BY_HAND} if student == TWICE else {None})
    assert "# mine" not in (graded.folder / "nbgrader_config.py").read_text()


@pytest.mark.parametrize("name", intake.LOST)
def test_a_mistake_costs_its_own_stage(graded: Graded, name: str) -> None:
    wrong, _ = intake.LOST[name]
    for stage, (score, _) in stages(graded, name).items():
        right = stage in {*intake.TWO, "mixing"} - {wrong}
        worth = COURSE.stage(stage).points
        assert score == worth if right else score < worth, stage
    assert graded.comments[name][wrong]


def test_a_message_names_the_cell_and_its_line(graded: Graded) -> None:
    place = "The cell of Mixing the values, line 1:"
    record = (graded.folder / "records" / "syntax.json").read_text(encoding="utf-8")
    cells = json.dumps(nbformat.read(graded.notebook("syntax"), as_version=4).cells)
    for text in (graded.told("syntax"), graded.feedback("syntax"), record, cells):
        assert place in text
        assert "mixing.py" not in text


def test_stages_that_are_stuck_cost_only_themselves(graded: Graded) -> None:
    stuck, right = stages(graded, "stuck"), stages(graded, intake.ALL_RIGHT)
    for stage in COURSE.names:
        if stage in endless():
            assert stuck[stage][0] < right[stage][0]
            assert "No answer within" in graded.comments["stuck"][stage]
        else:
            assert stuck[stage] == right[stage]


def test_what_is_not_judged_here_waits_for_a_person(graded: Graded) -> None:
    score, by_hand = stages(graded, intake.ALL_RIGHT)["gpu"]
    assert by_hand
    assert 0 < score < COURSE.stage("gpu").points
    assert "not judged" in graded.comments[intake.ALL_RIGHT]["gpu"]


@pytest.mark.parametrize("name", those(lambda case: case.told))
def test_what_was_repaired_is_told(graded: Graded, name: str) -> None:
    assert CASES[name].told in graded.told(name)


def test_an_unreadable_notebook_is_told_and_stops_nobody(graded: Graded) -> None:
    assert graded.total("unreadable") == 0
    assert "cannot be read" in graded.told("unreadable")


def test_late_work_is_marked_and_the_penalty_is_nbgraders(graded: Graded) -> None:
    facts = graded.facts["late"]
    assert facts["late"] == 2 * 24 * 60 * 60
    assert facts["penalty"] == graded.total("late") > 0


def test_a_second_attempt_counts_and_what_a_person_marked_stays(graded: Graded) -> None:
    assert stages(graded, TWICE) == stages(graded, intake.RIGHT)
    assert graded.facts[TWICE]["score"] == graded.total(intake.RIGHT) + BY_HAND


@pytest.mark.parametrize("name", [intake.ALL_RIGHT, "columns", "nothing", "unreadable"])
def test_nbgraders_own_reading_of_the_cells_agrees(graded: Graded, name: str) -> None:
    found = nbformat.read(graded.notebook(name), as_version=4)
    cells = [cell for cell in found.cells if is_grade(cell) and cell.cell_type == "code"]
    assert len(cells) == len(COURSE.stages)
    for cell in cells:
        score, _ = determine_grade(cell)
        assert score == graded.marks[name][cell.metadata.nbgrader.grade_id][0]


def test_a_question_that_was_left_alone_gets_nothing(graded: Graded) -> None:
    for question in COURSE.questions:
        assert graded.marks["nothing"][question.name] == (0, False)


def test_feedback_names_the_mistake_and_shows_no_test(graded: Graded) -> None:
    page = graded.feedback("columns")
    assert "In the gradebook:" in page
    assert graded.comments["columns"]["softmax"].split(".")[0] in page
    for suite in (COURSE.root / "tests/stages").rglob("*.py"):
        long_lines = [line.strip() for line in suite.read_text().splitlines() if len(line) > 70]
        assert not any(line in page for line in long_lines)


def test_everybody_gets_feedback(graded: Graded) -> None:
    for student in graded.marks:
        assert f"<bdi>{student}</bdi>".replace("'", "&#39;") in graded.feedback(student)


def stages(graded: Graded, student: str) -> dict[str, tuple[float, bool]]:
    """The marks of the stages; those that have none are as good as zero."""
    found = graded.marks[student]
    return {n: (found[CHECK + n][0] or 0.0, found[CHECK + n][1]) for n in COURSE.names}
