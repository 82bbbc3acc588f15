"""A small course with two stages, and answers to it of every kind."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from grader import course as courses
from grader.course import Course

_SUITE = """
    import numpy as np
    import pytest
    from grader.suite import Function, Probe, expect

    AXES, RESULTS = {{"x": "... n"}}, {{"y": "... n"}}
    FUNCTION = Function("{name}", AXES, RESULTS, {oracle}, lambda x: abs(x) + 1)

    def probes(rng):
        return [Probe(FUNCTION, {{"x": rng.normal(size=(2, 3))}})]

    @pytest.mark.check("{title}, {kind}", points={points})
    def test_numbers_{kind}(student, draw):
        for probe in draw(probes):
            expect.numbers(student, probe)

    @pytest.mark.check("The input stays, {kind}", points=1)
    def test_untouched_{kind}(student, draw):
        for probe in draw(probes):
            expect.untouched(student, probe)
"""
_STAGE = """
    [[stage]]
    name = "{name}"
    title = "{title}"
    points = 6
    minutes = 1
    seconds = 2
    memory = 256
"""
_STAGES = (
    ("double", "Twice as much", "lambda x: 2 * x"),
    ("half", "Half of it", "lambda x: x / 2"),
)

RIGHT = {"double": "def double(x): return 2 * x\n", "half": "def half(x): return x / 2\n"}
LOOP = "def half(x):\n    while True: pass\n"
ANSWERS = {
    "right": RIGHT,
    "other": {"double": "def double(x): return x + x\n", "half": "def half(x): return x * 0.5\n"},
    "wrong": RIGHT | {"half": "def half(x): return x / 3\n"},
    "loops": RIGHT | {"half": LOOP},
    "leaves": RIGHT | {"half": "import os\ndef half(x): os._exit(0)\n"},
    "crashes": RIGHT | {"half": "import ctypes\ndef half(x): ctypes.string_at(0)\n"},
    "hoards": RIGHT | {"half": "def half(x): return [bytearray(1 << 28) for _ in range(64)]\n"},
    "floods": RIGHT | {"half": "def half(x):\n    print('x' * 9_000_000)\n    return x / 2\n"},
    "kills": RIGHT | {"half": "import os\ndef half(x): os.kill(os.getppid(), 9)\n"},
    "skips": RIGHT | {"half": "import pytest\ndef half(x): pytest.skip('no')\n"},
    "typo": RIGHT | {"half": "def half(x) return x\n"},
    "half done": {"double": RIGHT["double"]},
}
"""What students may write: each in one stage, the other being right."""


def course(folder: Path) -> Course:
    """The course in a folder: course.toml, solutions, suites."""
    head = 'name = "toy"\ntitle = "Twice and half"\n'
    tables = (dedent(_STAGE).format(name=n, title=t) for n, t, _ in _STAGES)
    _write(folder / "course.toml", head + "".join(tables))
    for name, title, oracle in _STAGES:
        _write(folder / f"solutions/{name}.py", RIGHT[name])
        for kind, points in (("public", 1), ("hidden", 3)):
            suite = dedent(_SUITE).format(
                name=name, title=title, oracle=oracle, kind=kind, points=points
            )
            _write(folder / f"tests/stages/{kind}/{name}.py", suite)
    return courses.load(folder)


def hand_in(folder: Path, answers: dict[str, dict[str, str]]) -> Path:
    """A folder a student."""
    for student, texts in answers.items():
        for module, text in texts.items():
            _write(folder / student / f"{module}.py", text)
    return folder


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
