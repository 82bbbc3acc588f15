"""A stage beside the reference: numbers, cost, code, and what is not shown too early."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from grader import course as courses
from grader.compare.code import definitions
from grader.compare.outputs import ulps
from harness.cli import ROOT, grader

SOLUTION = (ROOT / "solutions" / "softmax.py").read_text("utf-8")
SHOWN = "exponentials.sum(dim=-1, keepdim=True)"


@pytest.fixture
def exercises(tmp_path: Path) -> Path:
    """A folder of solved stages."""
    return Path(shutil.copytree(ROOT / "solutions", tmp_path / "exercises"))


def test_a_right_stage_is_compared_in_everything(exercises: Path, tmp_path: Path) -> None:
    own = SOLUTION.replace("shifted.exp()", "shifted.exp() * 1.0")
    (exercises / "softmax.py").write_text(own)
    page = tmp_path / "page.html"
    done = grader("compare", "softmax", "--path", exercises, "--html", page)
    assert done.returncode == 0, done.stderr
    assert "to the last bit" in done.stdout
    assert "6           5   1.2 times" in done.stdout
    assert "times as fast as the reference" in done.stdout
    assert done.stdout.count("Also right: ") == 3
    text = page.read_text("utf-8")
    assert "http" not in text.split("<main>")[1].split("<script")[0]
    assert '"mine"' in text
    assert text.count("<h3>Reference</h3>") == 1


def test_a_wrong_stage_is_shown_where_it_differs_and_no_solution(exercises: Path) -> None:
    wrong = SOLUTION.replace("return exponentials", "return 0.5 * exponentials")
    (exercises / "softmax.py").write_text(wrong)
    done = grader("compare", "softmax", "--path", exercises)
    assert "ulps) apart" in done.stdout
    assert SHOWN not in done.stdout
    assert "--reveal" in done.stdout
    revealed = grader("compare", "softmax", "--path", exercises, "--reveal").stdout
    assert (
        "exponentials.sum(dim=-1, keepdim=True)" in "".join(revealed.split("  ")).replace("\n", "")
        or "dim=-1" in revealed
    )


def test_nan_is_at_no_distance_from_a_number(exercises: Path) -> None:
    wrong = SOLUTION.replace("dim=-1, keepdim", "dim=-2, keepdim")
    (exercises / "softmax.py").write_text(wrong)
    said = grader("compare", "softmax", "--path", exercises).stdout
    assert "the results cannot be compared.\nIn weights at query 0, key 0" in said
    assert "yours is nan, the reference's 0" in said
    assert "ulps" not in said


def test_a_stage_that_stops_is_told_with_its_line(exercises: Path) -> None:
    (exercises / "softmax.py").write_text("def row_softmax(scores):\n    return scores.nothing()\n")
    done = grader("compare", "softmax", "--path", exercises)
    assert done.returncode == 0, done.stderr
    assert "the results cannot be compared" in done.stdout
    assert "softmax.py, line 2" in done.stdout


def test_without_solutions_it_says_so(tmp_path: Path) -> None:
    shutil.copy(ROOT / "course.toml", tmp_path)
    (tmp_path / "exercises").mkdir()
    done = grader("compare", "softmax", cwd=tmp_path)
    assert done.returncode == 2
    assert "no solution" in done.stderr


def test_ulps_count_the_numbers_between() -> None:
    one = np.float32(1)
    steps = [np.nextafter(one, np.float32(2)), np.nextafter(one, np.float32(0)), one]
    assert ulps(np.array(steps), np.array([one] * 3)).tolist() == [1, 1, 0]
    zeros = np.array([0.0, -0.0, np.nan], dtype=np.float32)
    assert ulps(zeros, np.array([-0.0, 0.0, np.nan], dtype=np.float32)).tolist() == [0, 0, 0]
    tiny = np.nextafter(np.float32(0), np.float32(1))
    assert ulps(np.array([tiny]), np.array([-tiny])).tolist() == [2]


def test_code_is_shown_without_docstrings_and_marks() -> None:
    shown = definitions(SOLUTION)
    assert list(shown) == ["row_softmax"]
    assert shown["row_softmax"].splitlines()[1].strip().startswith("shifted")
    assert "###" not in shown["row_softmax"]
    gpu = definitions((ROOT / "solutions" / "gpu.py").read_text("utf-8"))
    assert '"""' not in "".join(gpu.values())
    assert courses.load(ROOT).names  # the course that all of this is about can be read
