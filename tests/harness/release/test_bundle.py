"""The students' bundle: it works by itself, and holds nothing that gives an answer away."""

import json
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from grader import course as courses
from grader.release import bundle as bundles
from grader.release.bundle import Files
from grader.release.slices import cut, needed
from grader.release.writing import write
from harness import exhaustive
from harness.cli import ROOT, python
from harness.release.leaks import found, secrets
from harness.tracer import untraced

WANTED = secrets()
SOLUTION = (ROOT / "solutions" / "softmax.py").read_text("utf-8")
HIDDEN = (ROOT / "tests/stages/hidden/softmax.py").read_text("utf-8")
CELL = {"cells": [{"source": SOLUTION.splitlines(keepends=True)}]}


def test_nothing_gives_an_answer_away(files: Files) -> None:
    assert found(files, WANTED) == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("docs/page.md", f"Look:\n\n```python\n{SOLUTION}\n```\n"),
        ("exercises/nb.ipynb", json.dumps(CELL)),
        (
            "grader/x.py",
            SOLUTION.replace("    ", "  ").replace("dim=-1, keepdim", "dim = -1,keepdim"),
        ),
        ("docs/built.html", f"<pre>{SOLUTION}</pre>"),
        ("tests/stages/public/more.py", HIDDEN),
        ("grader/data.json", json.dumps({"metadata": {"hidden": HIDDEN}})),
        ("a.py", (ROOT / "tests/stages/oracle/scores.py").read_text("utf-8")),
        ("b.py", (ROOT / "tests/mistakes/softmax.py").read_text("utf-8")),
    ],
)
def test_an_answer_would_be_found(path: str, content: str) -> None:
    assert found({path: content.encode()}, WANTED)


def test_no_file_of_a_secret_kind_is_in_it(files: Files) -> None:
    kinds = ("solutions/", "hidden/", "oracle/", "variants/", "experiments/")
    assert [path for path in files if any(kind in path for kind in kinds)] == []
    assert [path for path in files if path.startswith("tests/mistakes/") and "py" in path] == []


def test_the_zip_holds_what_the_folder_holds(files: Files, tmp_path: Path) -> None:
    folder, archive = write(files, tmp_path, "course")
    with zipfile.ZipFile(archive) as zipped:
        assert {name: zipped.read(name) for name in zipped.namelist()} == {
            f"course/{path}": content for path, content in files.items()
        }
    assert {f.relative_to(folder).as_posix() for f in folder.rglob("*") if f.is_file()} == {*files}


MODULE = """
import runpy, sys
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def student(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a program in the bundle, such as the bundle's own grader."""
    environment = {k: v for k, v in untraced().items() if k != "PYTHONPATH"}
    return python(MODULE, *args, cwd=folder, env={**environment, "NO_COLOR": "1"})


def test_a_student_gets_verdicts_in_it(unzipped: Path) -> None:
    untouched = student(unzipped, "grader", "check", "exercises")
    assert untouched.stdout.count("not started") == len(courses.load(ROOT).names)
    for name in ("projection", "scores", "scaling"):
        text = (ROOT / "solutions" / f"{name}.py").read_text("utf-8")
        (unzipped / "exercises" / f"{name}.py").write_text(text)
    wrong = SOLUTION.replace("dim=-1, keepdim", "dim=-2, keepdim")
    (unzipped / "exercises" / "softmax.py").write_text(wrong)
    done = student(unzipped, "grader", "check", "exercises")
    assert done.returncode == 1, done.stderr
    assert "2 of 2" in done.stdout
    assert "Every column of your weights adds up to 1" in done.stdout
    reset = student(unzipped, "grader", "reset", "softmax")
    assert "is a fresh stub" in reset.stdout
    assert (unzipped / "exercises/softmax.py").read_bytes() == (
        ROOT / "exercises/softmax.py"
    ).read_bytes()


@pytest.mark.parametrize(
    ("stage", "change", "status", "told"),
    [
        ("softmax", ("dim=-1", "dim=-1"), "passed", ""),
        ("scaling", ("math.sqrt(d_k)", "d_k"), "failed", "The first difference is in scaling:"),
        exhaustive.full(
            "projection", ("x @ weight", "x @ weight + 1"), "failed", "is in projection:"
        ),
    ],
)
def test_a_students_own_stages_are_judged_as_one_chain(
    stage: str, change: tuple[str, str], status: str, told: str, unzipped: Path
) -> None:
    for file in (ROOT / "solutions").glob("*.py"):
        text = file.read_text("utf-8")
        own = text.replace(*change) if file.stem == stage else text
        (unzipped / "exercises" / file.name).write_text(own)
    done = student(unzipped, "grader", "check", "exercises", "--json", "record.json")
    chain = json.loads((unzipped / "record.json").read_text())["submissions"][0]["chain"]
    assert chain["status"] == status, done.stderr
    assert told in chain["message"]


def test_its_noxfile_has_the_sessions_for_students(unzipped: Path) -> None:
    listed = student(unzipped, "nox", "--list").stdout
    sessions = [line.split()[1] for line in listed.splitlines() if line.startswith(("* ", "- "))]
    assert sessions == [*bundles.SESSIONS]


def test_its_pages_open_from_their_folder_and_are_for_students(unzipped: Path) -> None:
    pages = unzipped / "pages"
    assert "pages/index.html" in (unzipped / "README.md").read_text("utf-8")
    there = {file.relative_to(pages).as_posix() for file in pages.rglob("*.html")}
    assert {f"stages/{name}.html" for name in courses.load(ROOT).names} < there
    assert {file for file in there if file.startswith(("guides", "reference", "proof"))} == set()
    assert "learn/implementation.html" not in there
    for file in there:
        links = re.findall(r'(?:href|src)="([^"#?]*)', (pages / file).read_text("utf-8"))
        inside = [link for link in links if link and ":" not in link]
        assert [link for link in inside if not (pages / file).parent.joinpath(link).exists()] == []
        assert not re.search(
            r'<(?:script|link|img)[^>]*="https?:', (pages / file).read_text("utf-8")
        )


def test_its_readme_names_only_commands_that_it_has(files: Files) -> None:
    words = files["README.md"].decode().split("nox -s ")[1:]
    assert {word.split()[0].strip("`,") for word in words} <= {*bundles.SESSIONS}


TEXT = '''"""Text."""

import os
from a import b, c

X = 1


def one():
    return two() + c


def two():
    return X


def three():
    return os.name
'''


def test_a_cut_brings_what_is_needed_and_nothing_else() -> None:
    text = cut(TEXT, ["one"])
    assert "from a import c" in text
    assert "X = 1" in text
    assert "three" not in text
    assert "import os" not in text
    assert "from a" not in cut(TEXT, ["one"], "a")
    assert "three" not in needed(TEXT, ["one"])
    with pytest.raises(KeyError):
        cut(TEXT, ["four"])
