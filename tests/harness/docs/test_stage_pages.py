"""A page a stage: the contract's signatures, three hints in the form that the program reads."""

import ast
import importlib
import re
from collections.abc import Iterator

import pytest

from grader.course import load
from grader.diagnosis import Mistake
from grader.hints import read
from harness.docs.site import DOCS, ROOT, Site

COURSE = load(ROOT)
STAGES = COURSE.names
SECTIONS = [
    "What to build",
    "Shapes",
    "The formula",
    "See it",
    "Hints",
    "Common mistakes",
    "Where it sits in the stream",
]


def source(stage: str) -> str:
    return (DOCS / "stages" / f"{stage}.md").read_text(encoding="utf-8")


def signatures(stage: str) -> Iterator[str]:
    """What a stage defines for others, written as a call: ``project(x, weight)``."""
    tree = ast.parse((ROOT / "solutions" / f"{stage}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            (init,) = [
                method
                for method in node.body
                if isinstance(method, ast.FunctionDef) and method.name == "__init__"
            ]
            yield f"{node.name}({_arguments(init.args.args[1:], init.args.defaults)})"
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield f"{node.name}({_arguments(node.args.args, node.args.defaults)})"


def _arguments(names: list[ast.arg], defaults: list[ast.expr]) -> str:
    values = [""] * (len(names) - len(defaults)) + [f"={ast.unparse(value)}" for value in defaults]
    return ", ".join(name.arg + value for name, value in zip(names, values, strict=True))


@pytest.mark.parametrize("stage", STAGES)
def test_sections_stand_in_the_same_order_on_every_page(stage: str) -> None:
    assert [
        title
        for title in re.findall(r"^## (.+)$", source(stage), re.MULTILINE)
        if title in SECTIONS
    ] == SECTIONS


@pytest.mark.parametrize("stage", STAGES)
def test_signatures_are_those_of_the_solution(stage: str) -> None:
    expected = list(signatures(stage))
    assert expected
    assert re.findall(r"^`(\w+\(.*\))`$", source(stage), re.MULTILINE) == expected


@pytest.mark.parametrize("stage", STAGES)
def test_three_hints_of_plain_text(stage: str) -> None:
    found = read(COURSE, stage)
    assert [hint.title for hint in found] == [
        "Hint 1: a question",
        "Hint 2: a property to test",
        "Hint 3: nearly the line",
    ]
    for hint in found:
        assert hint.text
        assert not re.search(r"\$|\{\w+\}`|```|\]\(", hint.text), "a terminal shows this as it is"
    assert "?" in found[0].text


@pytest.mark.parametrize("stage", STAGES)
def test_no_hint_holds_a_line_of_the_solution(stage: str) -> None:
    text = (ROOT / "solutions" / f"{stage}.py").read_text(encoding="utf-8")
    (body,) = re.findall(r"### BEGIN SOLUTION.*?\n(.*?)### END SOLUTION", text, re.DOTALL)[:1]
    lines = [line.strip().removeprefix("return ") for line in body.splitlines()]
    said = " ".join(hint.text for hint in read(COURSE, stage))
    assert not [line for line in lines if len(line) > 4 and line in said]


@pytest.mark.parametrize("stage", STAGES)
def test_hints_are_folded_on_the_site(site: Site, stage: str) -> None:
    folded = site.pages[f"stages/{stage}"].select("details.hint")
    assert [hint.summary.get_text() for hint in folded if hint.summary] == [
        hint.title for hint in read(COURSE, stage)
    ]
    assert not any(hint.has_attr("open") for hint in folded)


@pytest.mark.parametrize("stage", STAGES)
def test_facts_come_from_the_course(site: Site, stage: str) -> None:
    text = site.pages[f"stages/{stage}"].get_text()
    facts = COURSE.stage(stage)
    number = COURSE.names.index(stage) + 1
    assert f"Stage {number} of {len(COURSE.names)}" in text
    assert f"{facts.points:g} points · about {facts.minutes} minutes" in text
    rail = site.pages[f"stages/{stage}"].select(".stage-rail li")
    assert [item.get_text(strip=True) for item in rail] == list(COURSE.names)


def test_stages_follow_the_course_in_the_contents(site: Site) -> None:
    linked = [page for page, _ in site.links("index", ".sidebar-tree a[href]")]
    stages = [page for page in linked if page.startswith("stages/") and page != "stages/index"]
    assert stages == [f"stages/{name}" for name in STAGES]


@pytest.mark.parametrize("stage", STAGES)
def test_common_mistakes_are_the_bank(site: Site, stage: str) -> None:
    mistakes: tuple[Mistake, ...] = importlib.import_module(f"mistakes.{stage}").MISTAKES
    (block,) = site.pages[f"stages/{stage}"].select("details.bank")
    shown = [" ".join(item.get_text().split()) for item in block.select("li")]
    assert len(shown) == len(mistakes)
    for mistake, text in zip(mistakes, shown, strict=True):
        assert _plain(text) == _plain(f"{mistake.sentence} {mistake.question}")


def _plain(text: str) -> str:
    """Words only: Markdown's marks and typographer's quotes aside."""
    return " ".join(re.findall(r"[\w√²]+", text))


@pytest.mark.parametrize("stage", STAGES)
def test_every_mistake_says_where_to_read(site: Site, stage: str) -> None:
    mistakes: tuple[Mistake, ...] = importlib.import_module(f"mistakes.{stage}").MISTAKES
    for mistake in mistakes:
        path, _, anchor = mistake.read.partition("#")
        page = site.pages.get(path.removesuffix(".html"))
        assert page is not None, mistake.read
        assert not anchor or page.find(id=anchor), mistake.read
