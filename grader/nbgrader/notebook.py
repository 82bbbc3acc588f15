"""The notebook of the assignment, made from solutions/, the stages' pages and course.toml.

Two editions: one in which learners write into cells, and a thin one that only judges the modules
which lie beside it. A cell's `grade_id` says what it is: a stage's name for the cell with the
answer, `check-` and the name for its test cell, a question's name for its answer.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from .. import stage_page
from ..course import Course, Question, Stage
from ..stubs import pristine, stub

Marks = dict[str, Any]
"""What nbgrader keeps in a cell's metadata."""

CHECK = "check-"
"""What a test cell's id begins with; the stage's name follows."""
TOGETHER = "all-stages"
"""The id of the cell that judges all stages, one after the other."""
SCHEMA = 3
"""The version of nbgrader's cell metadata that is written here."""
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}

SETUP = """\
# Looks for the course: in this folder, above it, one step below it, or in a zip that lies here.
import sys
import zipfile
from pathlib import Path

here = Path.cwd()


def course_folders():
    folders = [here, *here.parents, *here.glob("*/")]
    return [str(folder) for folder in folders if (folder / "course.toml").is_file()]


for file in [] if course_folders() else filter(zipfile.is_zipfile, here.glob("*.zip")):
    with zipfile.ZipFile(file) as packed:
        if any(name.endswith("/course.toml") for name in packed.namelist()):
            packed.extractall()
sys.path[:0] = course_folders()

try:
    from grader.nbgrader import check
except ModuleNotFoundError:
    no_course = f"The course is not in {here}. Put its zip there, then run this cell again."
    print(no_course)

    def check(stage=""):
        raise FileNotFoundError(no_course)"""

_INTRO = """\
# {title}

You build it yourself, in {number} stages. Each stage has a text, a cell for your code and
a cell that checks it. Run the check as often as you like: it looks at your numbers and says what is
wrong. A check here shows the public part; your work is graded with fresh numbers as well.

- Write your answer into the stage's own cell. Cells of your own for helpers or trials are welcome.
- A stage may use the functions of the stages before it. While it is judged, the reference stands in
  for them, so one mistake costs one stage.
- Where the course's folder is not at hand, as on Colab, put its zip beside this notebook."""

_INTRO_THIN = """\
# {title}

Your work is in the modules beside this notebook: {files}. Write there, and run a stage's check here
as often as you like: it looks at your numbers and says what is wrong. A check here shows the public
part; your work is graded with fresh numbers as well. Hand in the modules together with this
notebook."""

_TOGETHER = """\
## All stages, one after the other

The next cell runs your own stages as one chain and shows where you stand. It gives no points."""

_QUESTION = """\
## A question

{text}

*A person reads your answer; it is worth {points:g} points. Write it into the next cell.*"""

_ANSWER = "*Your answer goes here.*"


def file_name(course: Course) -> str:
    """The notebook's file name."""
    return f"{course.name}.ipynb"


def handed_out(course: Course) -> NotebookNode:
    """The notebook as a learner gets it: stubs in the cells, no outputs.

    Raises:
        CourseError: a solution or a stage's page is missing or broken.
    """
    return _notebook(course, [_stage_cells(course, stage, solved=False) for stage in course.stages])


def solved(course: Course) -> NotebookNode:
    """The same with solutions between nbgrader's marks: what lies in a course folder's source/."""
    return _notebook(course, [_stage_cells(course, stage, solved=True) for stage in course.stages])


def thin(course: Course) -> NotebookNode:
    """The notebook of the edition in which learners hand in modules."""
    stages = [[_test_cell(stage)] for stage in course.stages]
    files = ", ".join(f"`{name}.py`" for name in course.names)
    return _notebook(course, stages, _INTRO_THIN.format(title=course.title, files=files))


def text(notebook: NotebookNode) -> str:
    """A notebook as the text of its file; equal notebooks give equal texts."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def wanted(course: Course) -> dict[Path, str]:
    """The notebook in exercises/ and its text; nothing for a course whose stages have no pages."""
    if not (course.root / "docs" / "stages").is_dir():
        return {}
    return {course.root / "exercises" / file_name(course): text(handed_out(course))}


def _notebook(
    course: Course, stages: list[list[NotebookNode]], intro: str | None = None
) -> NotebookNode:
    head = intro or _INTRO.format(title=course.title, number=len(course.stages))
    cells = [_words("intro", head), _locked("setup", SETUP)]
    cells += [cell for stage in stages for cell in stage]
    cells += [_words("together", _TOGETHER), _locked(TOGETHER, "check()")]
    cells += [cell for question in course.questions for cell in _question_cells(question)]
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    made: NotebookNode = new_notebook(cells=cells, metadata=metadata)
    return made


def _stage_cells(course: Course, stage: Stage, *, solved: bool) -> list[NotebookNode]:
    number = course.names.index(stage.name) + 1
    page = stage_page.read(course, stage.name)
    about = (
        f"## {number}. {stage.title}\n\n*{stage.points:g} points, about {stage.minutes} minutes.*"
    )
    answer = _nbgrader(stage.name, solution=True)
    code = _cell_text(course, stage, number, solved=solved)
    return [
        _words(f"about-{stage.name}", f"{about}\n\n{page.task}"),
        _code(stage.name, code, answer),
        _test_cell(stage),
    ]


def _cell_text(course: Course, stage: Stage, number: int, *, solved: bool) -> str:
    """A stage's module without its docstring and its siblings' imports, which a notebook has."""
    if solved:
        file = course.root / "solutions" / f"{stage.name}.py"
        module = file.read_text(encoding="utf-8")
        stub(module)  # its marks are in order, or this tells
    else:
        module = pristine(course, stage.name)
    lines = module.splitlines()
    for node in ast.parse(module).body:
        sibling = isinstance(node, ast.ImportFrom) and node.level
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if sibling or docstring:
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
    return f"# Stage {number}: {stage.title}\n" + _without_gaps("\n".join(lines))


def _without_gaps(code: str) -> str:
    """Code with at most two empty lines in a row, and none at its ends."""
    while "\n\n\n\n" in code:
        code = code.replace("\n\n\n\n", "\n\n\n")
    return code.strip("\n")


def _test_cell(stage: Stage) -> NotebookNode:
    id_ = f"{CHECK}{stage.name}"
    marked = _nbgrader(id_, grade=True, locked=True, points=stage.points)
    return _code(id_, f'check("{stage.name}")', marked)


def _question_cells(question: Question) -> list[NotebookNode]:
    marked = _nbgrader(question.name, grade=True, solution=True, points=question.points)
    return [
        _words(
            f"ask-{question.name}", _QUESTION.format(text=question.text, points=question.points)
        ),
        _markdown(question.name, _ANSWER, marked),
    ]


def _words(id_: str, source: str) -> NotebookNode:
    return _markdown(id_, source, _nbgrader(id_, locked=True))


def _locked(id_: str, source: str) -> NotebookNode:
    return _code(id_, source, _nbgrader(id_, locked=True))


def _code(id_: str, source: str, marks: Marks) -> NotebookNode:
    cell: NotebookNode = new_code_cell(source, id=id_, metadata={"nbgrader": marks})
    return cell


def _markdown(id_: str, source: str, marks: Marks) -> NotebookNode:
    cell: NotebookNode = new_markdown_cell(source, id=id_, metadata={"nbgrader": marks})
    return cell


def _nbgrader(
    id_: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    points: float | None = None,
) -> Marks:
    """The metadata by which nbgrader knows a cell."""
    facts = {"grade_id": id_, "grade": grade, "solution": solution, "locked": locked}
    worth = {} if points is None else {"points": points}
    return {**facts, **worth, "task": False, "schema_version": SCHEMA}
