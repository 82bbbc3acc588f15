"""From cells to modules: what a stage needs of other cells comes along, and nothing else."""

import ast
import json
import os
import subprocess
import sys

import pytest

from grader.intake import notebook
from grader.intake.cells import Cell, Modules, modules, without_magics
from grader.submission import IntakeError

FUNCTIONS = {"one": ("first",), "two": ("second", "third")}
ONE = "def first(x):\n    return x\n"
TWO = "# Stage 2\ndef second(x):\n    return helper(first(x))\n\n\ndef third(x):\n    return x\n"


def made(*cells: Cell | str) -> Modules:
    return modules([c if isinstance(c, Cell) else Cell("code", c) for c in cells], FUNCTIONS)


def test_an_earlier_stage_is_a_sibling_and_a_helper_comes_along() -> None:
    cells = (Cell("code", ONE, "one"), Cell("code", TWO, "two"), "def helper(x):\n    return x\n")
    text = made(*cells).texts["two"]
    assert text.startswith("from .one import first\ndef second")
    assert text.count("def helper") == 1
    assert "def first" not in text


def test_lines_keep_their_numbers() -> None:
    text = made(Cell("code", TWO, "two"), "import math\nhelper = math.sqrt").texts["two"]
    line = text.split("\n").index("    return helper(first(x))")
    assert line == TWO.split("\n").index("    return helper(first(x))")


def place(stage: str, line: str, *cells: Cell | str) -> tuple[str, str, int]:
    """Whose cell a line of a module came from, how that begins, and its number there."""
    found = made(*cells)
    number = found.texts[stage].split("\n").index(line) + 1
    last = [place for place in found.places[stage] if place.start <= number][-1]
    return last.stage, last.begins, last.line + number - last.start


def test_every_line_knows_its_cell_and_its_number_there() -> None:
    helper = Cell("code", "\nimport math\n\n\ndef helper(x):\n    return math.sqrt(x)\n")
    cells = (Cell("code", ONE, "one"), Cell("code", TWO, "two"), helper)
    assert place("two", "    return helper(first(x))", *cells) == ("two", "# Stage 2", 3)
    assert place("two", "    return math.sqrt(x)", *cells) == ("", "import math", 6)


def test_a_line_of_imports_in_front_shifts_no_number() -> None:
    without_comment = TWO.partition("\n")[2]
    cells = (Cell("code", ONE, "one"), Cell("code", without_comment, "two"))
    found = place("two", "    return helper(first(x))", *cells)
    assert found == ("two", "def second(x):", 2)


def test_imports_from_the_future_stay_first() -> None:
    text = '"""Mine."""\nfrom __future__ import annotations  # as always\n\n' + TWO
    cells = (Cell("code", ONE, "one"), Cell("code", text, "two"))
    found = made(*cells).texts["two"]
    compile(found, "two", "exec")
    assert "from .one import first" in found
    assert place("two", "    return helper(first(x))", *cells) == ("two", '"""Mine."""', 6)


def test_what_comes_before_the_cell_has_its_own_numbers() -> None:
    decorated = Cell("code", "@twice\ndef first(x):\n    return x\n", "one")
    cells = (decorated, "AXIS = -1\n\n\ndef twice(f):\n    return f\n")
    assert place("one", "    return f", *cells) == ("", "AXIS = -1", 5)
    assert place("one", "@twice", *cells) == ("one", "@twice", 1)


def test_a_merged_cell_is_that_of_its_first_stage() -> None:
    merged = f"{ONE}\n\n{TWO}\n\ndef helper(x):\n    return x * 2\n"
    found = place("two", "    return helper(first(x))", merged)
    assert found == ("one", "def first(x):", 7)


def test_what_nobody_needs_stays_away() -> None:
    text = made(Cell("code", ONE, "one"), "x = 1 / 0\ny = []").texts["one"]
    assert "1 / 0" not in text


def test_names_of_a_functions_own_are_not_taken_from_other_cells() -> None:
    cell = Cell("code", "def first(x):\n    total = x\n    return total\n", "one")
    assert "boom" not in made("total = boom()", cell).texts["one"]


def test_what_runs_as_the_cell_is_loaded_comes_before_it() -> None:
    decorated = Cell("code", "@twice\ndef first(x):\n    return x\n", "one")
    text = made(decorated, "def twice(f):\n    return f\n").texts["one"]
    assert text.index("def twice") < text.index("@twice")


def test_a_merged_cell_gives_each_stage_its_own() -> None:
    merged = made(f"{ONE}\n\n{TWO}\n\ndef helper(x):\n    return x\n")
    assert "def first" not in merged.texts["two"]
    assert merged.texts["two"].startswith("from .one import first")


def test_the_last_written_definition_counts() -> None:
    stub = 'def first(x):\n    raise NotImplementedError("write this")\n'
    answer = "def first(x):\n    return 2 * x\n"
    assert "2 * x" in made(Cell("code", stub, "one"), answer).texts["one"]
    assert "2 * x" in made(Cell("code", answer, "one"), Cell("code", stub, "one")).texts["one"]


def test_a_star_import_comes_along_where_a_name_is_nowhere_else() -> None:
    cell = Cell("code", "def first(x):\n    return sqrt(x)\n", "one")
    assert "from math import *" in made("from math import *", cell).texts["one"]


def test_a_cell_that_is_no_python_is_kept_for_its_own_stage_only() -> None:
    found = made(Cell("code", "def first(x:\n", "one"), Cell("code", TWO, "two"), "also no (")
    assert found.texts["one"] == "def first(x:\n"
    assert found.places["one"] == [(1, "one", "def first(x:", 1)]
    ast.parse(found.texts["two"])


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%%time\nx = 1", "\nx = 1"),
        ("%%bash\nrm -rf /", ""),
        ("!pip install torch\nx = 1", "pass\nx = 1"),
        ("if True:\n    %matplotlib inline", "if True:\n    pass"),
        ("%time f(x)", "f(x)"),
        ("files = !ls", "files = None"),
        ("row_softmax?", "pass"),
    ],
)
def test_commands_of_the_notebook(cell: str, python: str) -> None:
    assert without_magics(cell) == python


@pytest.mark.parametrize("call", ['check("one")', "check()", 'check(\n    "one"\n)'])
def test_a_check_below_an_answer_is_not_part_of_it(call: str) -> None:
    found = made(Cell("code", f"{ONE}\n{call}\ny = 1", "one"), "from anywhere import check")
    assert "check" not in found.texts["one"]
    assert found.texts["one"].splitlines().index("y = 1") == 3 + call.count("\n") + 1


def test_a_check_of_the_learners_own_stays() -> None:
    assert "return check(x)" in made("def first(x):\n    return check(x)").texts["one"]
    assert "y = 1; check()" in made("y = 1; check()\ndef first(x):\n    return x").texts["one"]


def test_python_is_left_alone_whatever_it_looks_like() -> None:
    text = 'def first(x):\n    """\n!not a command\n"""\n    return x\n'
    assert "!not a command" in made(Cell("code", text, "one")).texts["one"]


def test_equal_work_gives_equal_text_in_every_process() -> None:
    program = (
        "from harness.intake.test_cells import *\n"
        "names = [f'h{n}' for n in range(20)]\n"
        "cell = Cell('code', 'def first(x):\\n    return ' + ' + '.join(names), 'one')\n"
        "print(made(*(f'{n} = 1' for n in names), *(f'import {n}' for n in names), cell))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_a_damaged_file_gives_the_cells_up_to_where_it_breaks() -> None:
    whole = json.dumps({"cells": [{"cell_type": "code", "source": ONE}] * 3})
    found = notebook.read(whole[: len(whole) - 20].encode())
    assert [cell.source for cell in found.cells] == [ONE, ONE]
    assert "damaged" in found.notes[0]


@pytest.mark.parametrize(
    "data",
    [b"", b"\x89PNG", b"[]", b"7", b'{"cells": []}', b'{"cells": 1}', b"[" * 100_000, b"\xff" * 99],
)
def test_what_is_no_notebook_is_told(data: bytes) -> None:
    with pytest.raises(IntakeError):
        notebook.read(data)


@pytest.mark.parametrize(
    "cell",
    [None, 1, {}, {"source": 1}, {"metadata": []}, {"metadata": {"nbgrader": {"grade_id": 3}}}],
)
def test_odd_cells_stop_nothing(cell: object) -> None:
    good = {"cell_type": "code", "source": [ONE, 5], "metadata": {"nbgrader": {"grade_id": "one"}}}
    found = notebook.read(json.dumps({"cells": [cell, good]}).encode())
    assert found.cells[-1] == Cell("code", ONE, "one")
