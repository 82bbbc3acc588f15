"""What nbgrader would trip over is out of its way before it looks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.nbgrader.submitted import before_conversion, opened
from harness.nbgrader.handing_in import ROOT
from harness.tracer import untraced


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source" / "a").mkdir(parents=True)
    (tmp_path / "source" / "a" / "a.ipynb").touch()
    place = tmp_path / "submitted" / "anna" / "a"
    place.mkdir(parents=True)
    return place


def test_links_and_pipes_are_taken_out(folder: Path) -> None:
    (folder / "a.ipynb").write_text("{}")
    (folder / "secret.txt").symlink_to("/etc/hostname")
    (folder / "nowhere.py").symlink_to("not there")
    os.mkfifo(folder / "pipe.py")
    before_conversion("a", "*", [str(folder / "a.ipynb")])
    assert [file.name for file in folder.iterdir()] == ["a.ipynb"]


def test_the_newest_notebook_of_another_name_counts(folder: Path) -> None:
    for name, age in {"old.ipynb": 2, "new.ipynb": 1}.items():
        (folder / name).write_text(name)
        os.utime(folder / name, (10 - age, 10 - age))
    notebooks = [str(folder / "new.ipynb"), str(folder / "old.ipynb")]
    before_conversion("a", "*", notebooks)
    assert notebooks[-1] == str(folder / "a.ipynb")
    assert (folder / "a.ipynb").read_text() == "new.ipynb"


@pytest.mark.exhaustive  # what it saves is time
def test_the_start_loads_no_grammar_of_addresses() -> None:
    program = (
        "import sys; from pathlib import Path; from grader.commands import instructor\n"
        "try: instructor.autograde(Path('nowhere'))\n"
        "except Exception as error: print(type(error).__name__)\n"
        "print('jsonschema' in sys.modules, 'lark' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**untraced(), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["CourseError", "True", "False"], done.stderr


def test_a_later_notebook_of_another_name_counts_in_the_next_run(folder: Path) -> None:
    notebooks = []
    for age, name in enumerate(["first.ipynb", "second.ipynb"]):
        (folder / name).write_text(f'{{"cells": [{{"cell_type": "code", "source": "{name}"}}]}}')
        os.utime(folder / name, (10 + age, 10 + age))
        notebooks = sorted(map(str, folder.glob("*.ipynb")))
        before_conversion("a", "*", notebooks)
    found = opened(folder / "a.ipynb")
    assert found.cells[0].source == "second.ipynb"
    assert found.metadata["handed_in"]["notes"] == ["The notebook was handed in as second.ipynb."]


def test_a_folder_with_a_notebooks_name_is_told(folder: Path) -> None:
    (folder / "mine.ipynb").mkdir()
    notebooks = [str(folder / "mine.ipynb")]
    before_conversion("a", "*", notebooks)
    found = opened(Path(notebooks[-1]))
    assert "cannot be read" in found.metadata["handed_in"]["problem"]


def test_a_link_to_a_notebook_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real.ipynb").write_text('{"cells": [{"cell_type": "code", "source": "x"}]}')
    link = tmp_path / "link.ipynb"
    link.symlink_to(tmp_path / "real.ipynb")
    assert opened(link).cells == []
