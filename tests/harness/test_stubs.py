import ast
from pathlib import Path

import pytest

from grader import course as courses
from grader import stubs
from grader.course import Course, CourseError
from grader.submission import not_started

ROOT = Path(__file__).parents[2]
SOLUTION = '''def f(x):
    """Doc."""
    ### BEGIN SOLUTION add "one"
    return x + 1
    ### END SOLUTION
'''
STUB = '''def f(x):
    """Doc."""
    raise NotImplementedError("add 'one'")
'''
NAMES = courses.load(ROOT).names


@pytest.fixture
def course(tmp_path: Path) -> Course:
    stage = courses.Stage("one", "One", points=1, minutes=1, seconds=1, memory=64)
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "one.py").write_text(SOLUTION)
    return Course("c", "C", (stage,), tmp_path)


def test_the_solution_gives_way_to_one_line() -> None:
    assert stubs.stub(SOLUTION) == STUB


@pytest.mark.parametrize("text", ["x = 1\n", SOLUTION.replace("### END SOLUTION", "")])
def test_marks_that_make_no_pairs_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="make no pairs"):
        stubs.stub(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_has_the_signatures_and_docstrings_of_its_solution(name: str) -> None:
    solution = (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8")
    stub = stubs.stub(solution)
    assert not_started(stub)
    assert public(stub) == public(solution)


def test_renewing_keeps_what_was_there(course: Course) -> None:
    file = course.root / "exercises" / "one.py"
    assert stubs.outdated(stubs.wanted(course)) == {file: STUB}
    assert stubs.renew(course, "one") is None
    assert stubs.outdated(stubs.wanted(course)) == {}
    for number, work in enumerate(("first", "second"), 1):
        file.write_text(work)
        kept = stubs.renew(course, "one")
        assert kept == file.with_name(f"one.py.kept-{number}")
        assert kept.read_text() == work
        assert file.read_text() == STUB


def test_renewing_a_fresh_stub_keeps_nothing(course: Course) -> None:
    stubs.renew(course, "one")
    assert stubs.renew(course, "one") is None
    assert [f.name for f in (course.root / "exercises").iterdir()] == ["one.py"]


def test_a_missing_solution_is_told(course: Course) -> None:
    (course.root / "solutions" / "one.py").unlink()
    with pytest.raises(CourseError, match=r"no .*one\.py"):
        stubs.pristine(course, "one")


def test_broken_marks_are_told_with_the_file(course: Course) -> None:
    (course.root / "solutions" / "one.py").write_text("x = 1\n")
    with pytest.raises(CourseError, match=r"one\.py: 0 BEGIN SOLUTION"):
        stubs.pristine(course, "one")


def public(text: str) -> list[tuple[str, str | None]]:
    """Signature and docstring of every function and class that a learner may call."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and (
            node.name == "__init__" or not node.name.startswith("_")
        ):
            returns = ast.unparse(node.returns) if node.returns else ""
            signature = f"{node.name}({ast.unparse(node.args)}) {returns}"
            found.append((signature, ast.get_docstring(node)))
        if isinstance(node, ast.ClassDef):
            found.append((node.name, ast.get_docstring(node)))
    return found
