"""A course of one stage of its own is judged without a change in the grader."""

from pathlib import Path
from textwrap import dedent

import pytest

from harness.cli import grader

FILES = {
    "course.toml": """
        name = "toy"
        title = "Doubling"

        [[stage]]
        name = "double"
        title = "Twice as much"
        points = 3
        minutes = 1
        seconds = 5
        memory = 512
    """,
    "solutions/double.py": """
        def twice(x):
            \"\"\"Twice x.\"\"\"
            ### BEGIN SOLUTION multiply x by two
            return 2 * x
            ### END SOLUTION
    """,
    "tests/stages/public/double.py": """
        import numpy as np
        import pytest
        from grader.suite import Function, Probe, expect

        TWICE = Function("twice", {"x": "... n"}, {"y": "... n"}, lambda x: 2 * x, lambda x: abs(x))

        def probes(rng):
            return [Probe(TWICE, {"x": rng.normal(size=(2, 3))})]

        @pytest.mark.check("Twice as much", points=3)
        def test_twice(student, draw):
            for probe in draw(probes):
                expect.numbers(student, probe)
    """,
}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip())
    assert grader("stubs", cwd=tmp_path).returncode == 0
    return tmp_path


def test_the_stub_is_not_started_and_the_solution_passes(toy: Path) -> None:
    assert "not started" in grader("check", "exercises", cwd=toy).stdout
    done = grader("check", "solutions", cwd=toy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3 points" in done.stdout


def test_a_wrong_answer_fails(toy: Path) -> None:
    (toy / "exercises" / "double.py").write_text("def twice(x):\n    return 3 * x\n")
    done = grader("check", "exercises", cwd=toy)
    assert done.returncode == 1
    assert "6 of 6 numbers differ" in done.stdout


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (("points=3", "points=2"), "add up to 2 points, and course.toml says 3"),
        (('"Twice as much", points=3', ""), "a check is marked @pytest.mark.check"),
        (("import numpy", "import nmupy"), "A suite cannot be read"),
    ],
)
def test_a_broken_suite_is_the_courses_fault(toy: Path, broken: tuple[str, str], said: str) -> None:
    suite = toy / "tests/stages/public/double.py"
    suite.write_text(suite.read_text().replace(*broken))
    (toy / "tests/stages/hidden").mkdir()
    done = grader("check", "solutions", cwd=toy)
    assert done.returncode == 2
    assert said in done.stderr
