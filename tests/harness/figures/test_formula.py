"""A name in a figure's formula and the same quantity in the figure point at each other."""

from typing import TYPE_CHECKING

import pytest

from harness import exhaustive
from harness.figures.bench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Page

FORMULAS = {
    ("projection", 0): ["X", "W_Q", "Q"],
    ("scores", 0): ["Q", "K", "S"],
    ("walkthrough", 1): ["Q", "X", "W_Q", "K", "X", "W_K", "V", "X", "W_V"],
    ("walkthrough", 2): ["S", "Q", "K"],
    ("walkthrough", 3): ["Z", "S", "d_k"],
    ("walkthrough", 4): ["A", "Z"],
    ("walkthrough", 5): ["O", "A", "V"],
    ("walkthrough", 6): ["Y", "X", "O", "W_O"],
}
MARKED = """(of) => [...document.querySelectorAll(`${of}.is-named`)]
    .map((node) => (node.dataset.name ?? node.dataset.matrix).replace("ᵀ", ""))"""
THERE = MARKED.replace(".is-named", "")


def show(bench: Bench, figure: str, phase: int) -> "Page":
    return bench.show(figure, address=f"#walkthrough-{phase}" if phase else "")


@pytest.mark.parametrize(("figure", "phase"), exhaustive.sampled([*FORMULAS], 4))
def test_each_term_marks_its_quantity_by_key_and_by_pointer(
    bench: Bench, figure: str, phase: int
) -> None:
    page = show(bench, figure, phase)
    terms, names = page.locator(".f-point"), FORMULAS[figure, phase]
    assert (
        terms.locator("[data-name]").evaluate_all("all => all.map((n) => n.dataset.name)") == names
    )
    matrices = page.evaluate(THERE, "[data-matrix]")
    terms.first.focus()
    for k, name in enumerate(names):
        assert terms.nth(k).evaluate("(term) => term === document.activeElement")
        for _ in ("focused", "pointed at"):
            assert page.evaluate(MARKED, "[data-matrix]") == [m for m in matrices if m == name]
            assert set(page.evaluate(MARKED, "*")) == {name}
            terms.nth(k).hover()
        page.mouse.move(0, 0)
        assert page.evaluate(MARKED, "*") == []
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize(("figure", "phase"), exhaustive.sampled([*FORMULAS], 4))
def test_each_quantity_marks_its_terms(bench: Bench, figure: str, phase: int) -> None:
    page = show(bench, figure, phase)
    for table in page.locator("[data-matrix]").all():
        name = str(table.get_attribute("data-matrix")).replace("ᵀ", "")
        table.locator("td[data-i]").first.hover()
        terms = [term for term in FORMULAS[figure, phase] if term == name]
        assert page.evaluate(MARKED, ".f-point [data-name]") == terms
        assert table.evaluate("(t) => !t.classList.contains('is-named')")
    page.mouse.move(0, 0)
    assert page.evaluate(MARKED, "*") == []


def test_a_cell_that_is_walked_to_by_key_marks_its_term(bench: Bench) -> None:
    page = bench.show("projection")
    page.locator("[data-matrix=Q] button[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(MARKED, ".f-point [data-name]") == ["Q"]
