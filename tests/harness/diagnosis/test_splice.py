"""A bank's function becomes a whole module of its stage, and still does what it did."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from grader.diagnosis.answers import Answer
from grader.diagnosis.splice import module_text

BANK = """
    import math
    from torch import Tensor, nn
    from grader.diagnosis import Bank
    from solutions.shapes import area as right_area, Shape
    from solutions.lines import length

    bank = Bank(__name__, instead_of="area", read="stages/shapes.html")
    FACTOR = 2

    def _twice(x: float) -> float:
        return FACTOR * x

    @bank.mistake("Too large.", "How large is it?")
    def doubled(a: float, b: float) -> float:
        return _twice(a) * length(b) * math.pi

    @bank.mistake("Not square.", "Is it?", instead_of="Shape")
    class Oblong(Shape):
        def side(self) -> float:
            return -super().side()

    MISTAKES = bank.mistakes
"""
SOLUTION = '''
"""Shapes."""

from .lines import length


def area(a, b):
    """Right."""
    return length(a) * length(b)


class Shape:
    def side(self):
        return 1.0


def both():
    return area(1, 1)
'''


@pytest.fixture
def mistakes(tmp_path: Path) -> Iterator[tuple[Answer, ...]]:
    file = tmp_path / "shapes.py"
    file.write_text(dedent(BANK), encoding="utf-8")
    for name, body in {"lines": "def length(x): return x", "shapes": SOLUTION}.items():
        module = ModuleType(f"solutions.{name}")
        exec(body.replace("from .", "from solutions."), vars(module))  # noqa: S102 - our own text
        sys.modules[f"solutions.{name}"] = module
    spec = importlib.util.spec_from_file_location("mistakes.shapes", file)
    assert spec is not None
    assert spec.loader is not None
    bank = importlib.util.module_from_spec(spec)
    sys.modules["mistakes.shapes"] = bank
    spec.loader.exec_module(bank)
    yield bank.MISTAKES
    for name in ("mistakes.shapes", "solutions.lines", "solutions.shapes"):
        del sys.modules[name]


def run(text: str) -> dict[str, object]:
    names: dict[str, object] = {"length": lambda x: x}
    exec(text.replace("from .lines import length", ""), names)  # noqa: S102 - our own text
    return names


def test_ids_come_from_the_file_and_the_function(mistakes: tuple[Answer, ...]) -> None:
    assert [mistake.id for mistake in mistakes] == ["shapes/doubled", "shapes/Oblong"]
    assert [mistake.replaces for mistake in mistakes] == ["area", "Shape"]


def test_a_function_takes_the_place_of_the_right_one(mistakes: tuple[Answer, ...]) -> None:
    text = module_text(mistakes[0].source, "area", SOLUTION)
    names = run(text)
    assert text.count("def area") == 1
    assert names["both"]() == pytest.approx(6.283, abs=1e-3)  # type: ignore[operator]


def test_helpers_and_imports_come_along_and_nothing_else(mistakes: tuple[Answer, ...]) -> None:
    source = mistakes[0].source
    assert "from .lines import length" in source
    assert "import math" in source
    assert source.index("FACTOR = 2") < source.index("def _twice") < source.index("def area")
    assert "nn" not in source
    assert "bank" not in source


def test_a_class_may_extend_the_right_one(mistakes: tuple[Answer, ...]) -> None:
    text = module_text(mistakes[1].source, "Shape", SOLUTION)
    shape = run(text)["Shape"]
    assert shape().side() == -1.0  # type: ignore[operator]
    assert "from .shapes" not in text
