"""Places where courses live, and the files that each of them wants."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..course import Course
from ..nbgrader import notebook
from .bundle import Files, bundle

TEMPLATES = Path(__file__).parent / "templates"
WHOLE = ("course.toml", "constraints.txt", "pyproject.toml", "LICENSE")
FOLDERS = ("grader", "solutions", "tests/stages", "tests/mistakes", "docs/stages")
"""What grading needs; a student never sees it."""


@dataclass(frozen=True)
class Place:
    """A place: what to make for it, and whether its files lie in a folder of their own.

    Attributes:
        files: makes the files from the course.
        top: whether the zip has a folder at its top; Gradescope wants none.
        executable: files that are run.
    """

    files: Callable[[Course], Files]
    top: bool = True
    executable: tuple[str, ...] = ()


def gradescope(course: Course) -> Files:
    """An autograder: the course with everything that grading needs, and two scripts.

    https://gradescope-autograders.readthedocs.io/en/latest/specs/
    """
    files = {name: (course.root / name).read_bytes() for name in WHOLE}
    for folder in FOLDERS:
        for file in sorted((course.root / folder).rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                files[file.relative_to(course.root).as_posix()] = file.read_bytes()
    for name in ("setup.sh", "run_autograder"):
        files[name] = (TEMPLATES / name).read_bytes()
    return {**files, "requirements.txt": _lines(_requirements(course, "grading"))}


def classroom(course: Course) -> Files:
    """The bundle as a template repository, with the workflow that GitHub Classroom reads."""
    steps = "".join(
        _STEP.format(name=s.name, title=json.dumps(s.title), points=max(1, round(s.points)))
        for s in course.stages
    )
    results = "".join(
        f'          {n.upper()}_RESULTS: "${{{{ steps.{n}.outputs.result }}}}"\n'
        for n in course.names
    )
    text = _WORKFLOW.format(steps=steps, results=results, runners=",".join(course.names))
    return {**bundle(course), ".github/workflows/classroom.yml": text.encode()}


def codespaces(course: Course) -> Files:
    """The bundle with the description of a container to work on it in."""
    container = {
        "name": course.title,
        "image": "mcr.microsoft.com/devcontainers/python:3.11",
        "postCreateCommand": "python -m pip install nox && nox -s check || true",
        "containerEnv": {"PIP_EXTRA_INDEX_URL": "https://download.pytorch.org/whl/cpu"},
        "customizations": {
            "vscode": {"extensions": ["ms-python.python", "ms-toolsai.jupyter"]},
        },
    }
    text = json.dumps(container, indent=2, ensure_ascii=False) + "\n"
    return {**bundle(course), ".devcontainer/devcontainer.json": text.encode()}


def colab(course: Course) -> Files:
    """The notebook with a first cell that fetches the course, and the bundle to fetch."""
    files = bundle(course)
    path = f"exercises/{notebook.file_name(course)}"
    book = json.loads(files[path])
    needs = [n for n in _requirements(course) if not n.startswith(("torch", "numpy"))]
    source = _FETCH.format(needs=" ".join(f'"{need}"' for need in needs))
    cell: dict[str, Any] = {
        "cell_type": "code",
        "id": "fetch",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
    book["cells"].insert(1, cell)
    return {**files, path: json.dumps(book, ensure_ascii=False, indent=1).encode()}


PLACES: Mapping[str, Place] = MappingProxyType(
    {
        "gradescope": Place(gradescope, top=False, executable=("setup.sh", "run_autograder")),
        "classroom": Place(classroom),
        "codespaces": Place(codespaces),
        "colab": Place(colab),
    }
)

_FETCH = """\
# On Colab: installs what checking needs, and asks for the course's zip.
%pip install -q {needs}
import zipfile
from pathlib import Path

if not [*Path().glob("course.toml"), *Path().glob("*/course.toml")]:
    from google.colab import files

    for name in files.upload():
        zipfile.ZipFile(name).extractall()"""

_STEP = """\
      - id: {name}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {title}
          setup-command: ""
          command: nox -s check -- {name}
          timeout: 10
          max-score: {points}
"""
_WORKFLOW = """\
name: Autograding
on: [push, repository_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    env:
      PIP_EXTRA_INDEX_URL: https://download.pytorch.org/whl/cpu
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: python -m pip install nox && nox -s check || true
{steps}      - uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}        with:
          runners: {runners}
"""


def _requirements(course: Course, *extras: str) -> list[str]:
    text = (course.root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    found: list[str] = list(project["dependencies"])
    for extra in extras:
        found += project["optional-dependencies"][extra]
    return sorted(found)


def _lines(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
