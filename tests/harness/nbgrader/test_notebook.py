"""The notebook that is handed out: complete, in order, and without anything that tells too much."""

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from grader import stage_page
from grader.nbgrader import checking, notebook
from grader.stubs import pristine
from grader.submission import not_started
from harness.nbgrader.handing_in import COURSE, cell, released, source


def test_it_is_a_valid_notebook_and_the_one_in_exercises() -> None:
    for made in (notebook.handed_out(COURSE), notebook.solved(COURSE), notebook.thin(COURSE)):
        nbformat.validate(made)
        assert (made.nbformat, made.nbformat_minor) >= (4, 5)  # the first with ids of cells
        assert all(cell.id == cell.metadata.nbgrader.grade_id for cell in made.cells)
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


@pytest.mark.parametrize("made", [notebook.handed_out(COURSE), notebook.thin(COURSE)])
def test_it_asks_nothing_of_the_program_that_shows_it(made: nbformat.NotebookNode) -> None:
    """VS Code, Colab and JupyterLab show Markdown, plain HTML and text; not each other's own."""
    for found in made.cells:
        assert set(found.metadata) == {"nbgrader"}
        code = found.source if found.cell_type == "code" else ""
        assert not re.search(r"^\s*[%!]", code, re.MULTILINE)
        compile(code, "cell", "exec")
        assert "attachment:" not in found.source


def test_the_guide_names_the_versions_that_are_pinned() -> None:
    guide = " ".join((COURSE.root / "docs/guides/instructor.md").read_text("utf-8").split())
    pinned = (COURSE.root / "constraints.txt").read_text("utf-8").splitlines()
    for package in ("nbgrader", "nbconvert", "nbclient", "SQLAlchemy"):
        [version] = [line.partition("==")[2] for line in pinned if line.startswith(f"{package}==")]
        assert f"{package} {version}" in guide


def run_setup(folder: Path, more: str = "") -> subprocess.CompletedProcess[str]:
    """Run the first cell of code in a folder, without a course on the path."""
    return subprocess.run(
        [sys.executable, "-c", f"{notebook.SETUP}\n{more}"],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_the_course_it_says_what_to_do_and_no_check_passes(tmp_path: Path) -> None:
    done = run_setup(tmp_path, "check('softmax')")
    assert done.stdout == (
        f"The course is not in {tmp_path}. Put its zip there, then run this cell again.\n"
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("FileNotFoundError: The course is not in")


def test_the_course_is_taken_from_a_zip_that_lies_beside(tmp_path: Path) -> None:
    (tmp_path / "broken.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("unasked.txt", "")
    with zipfile.ZipFile(tmp_path / "course.zip", "w") as course:
        course.writestr("course/course.toml", "")
        course.writestr("course/grader/__init__.py", "")
        course.writestr("course/grader/nbgrader.py", "check = print")
    for _ in range(2):  # the second time it is there
        done = run_setup(tmp_path, "check('found')")
        assert (done.stdout, done.returncode) == ("found\n", 0), done.stderr
    assert not (tmp_path / "unasked.txt").exists()


@pytest.mark.parametrize("place", ["exercises", ".", ".."])
def test_the_course_is_found_around_the_notebook(place: str, tmp_path: Path) -> None:
    course = tmp_path / "course"
    (course / "exercises").mkdir(parents=True)
    (course / "course.toml").touch()
    done = run_setup(course / place, "print(sys.path[0])")
    assert Path(done.stdout.splitlines()[-1]).resolve() == course


def test_a_kernel_that_lacks_a_package_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lacking = {"pytest_timeout", "jinja2"}
    monkeypatch.setattr(checking, "find_spec", lambda name: None if name in lacking else name)
    with pytest.raises(checking.Sentence, match="%pip install pytest-timeout jinja2"):
        checking.check("softmax")


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
