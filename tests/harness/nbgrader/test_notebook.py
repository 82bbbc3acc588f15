"""The notebook that is handed out: complete, in order, and without anything that tells too much."""

import ast
import json

import nbformat
import pytest

from grader import stage_page
from grader.nbgrader import notebook
from grader.stubs import pristine
from grader.submission import not_started
from harness.nbgrader.handing_in import COURSE, cell, released, source


def test_it_is_a_valid_notebook_and_the_one_in_exercises() -> None:
    for made in (notebook.handed_out(COURSE), notebook.solved(COURSE), notebook.thin(COURSE)):
        nbformat.validate(made)
    [(file, text)] = notebook.wanted(COURSE).items()
    assert json.loads(text)["cells"]
    assert file.name == notebook.file_name(COURSE)


@pytest.mark.parametrize("stage", COURSE.names)
def test_a_stage_has_its_task_a_stub_and_one_test_worth_its_points(stage: str) -> None:
    made = released()
    assert "### What to build" in source(cell(made, f"about-{stage}"))
    assert "```{" not in source(cell(made, f"about-{stage}"))
    assert "{doc}" not in source(cell(made, f"about-{stage}"))
    assert not_started(source(cell(made, stage)))
    test = cell(made, f"check-{stage}")
    assert source(test) == f'check("{stage}")'
    assert test["metadata"]["nbgrader"]["points"] == COURSE.stage(stage).points


@pytest.mark.parametrize("stage", COURSE.names)
def test_the_page_names_the_functions_of_the_stub(stage: str) -> None:
    tree = ast.parse(pristine(COURSE, stage))
    defined = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert list(stage_page.read(COURSE, stage).functions) == defined


def test_questions_are_marked_by_hand_and_the_chain_gives_no_points() -> None:
    made = released()
    for question in COURSE.questions:
        marks = cell(made, question.name)["metadata"]["nbgrader"]
        assert (marks["grade"], marks["solution"], marks["points"]) == (True, True, question.points)
    together = cell(made, notebook.TOGETHER)
    assert source(together) == "check()"
    assert not together["metadata"]["nbgrader"]["grade"]


def test_no_solution_and_no_hidden_text_is_in_it() -> None:
    text = notebook.text(notebook.handed_out(COURSE))
    assert "BEGIN SOLUTION" not in text
    for name in COURSE.names:
        solved = (COURSE.root / "solutions" / f"{name}.py").read_text(encoding="utf-8")
        stub = pristine(COURSE, name)
        own = {line.strip() for line in solved.splitlines()} - {
            line.strip() for line in stub.splitlines()
        }
        for line in own:
            assert len(line) < 25 or json.dumps(line)[1:-1] not in text
    hidden = COURSE.root / "tests" / "stages" / "hidden"
    for suite in hidden.glob("*.py"):
        for line in suite.read_text(encoding="utf-8").splitlines():
            if len(line) > 60:
                assert json.dumps(line.strip())[1:-1] not in text
