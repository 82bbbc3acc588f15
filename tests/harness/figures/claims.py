"""What must hold of a figure in a browser: each claim raises AssertionError where it does not."""

from typing import TYPE_CHECKING

import numpy as np

from grader.figures.numbers import rounded
from harness.figures.bench import read
from harness.figures.oracle import Matrix

if TYPE_CHECKING:
    from playwright.sync_api import Page


def close(shown: object, expected: object) -> None:
    np.testing.assert_allclose(np.array(shown), np.array(expected), rtol=0, atol=1e-9)


def every_cell_explains_itself(
    page: "Page", left: Matrix, right: Matrix, names: tuple[str, str, str]
) -> None:
    """Each cell of the product lights its row and its column, and shows their sum of products."""
    product, (a, b, c) = left @ right, names
    inner = left.shape[1]
    for i, row in enumerate(left):
        for j, column in enumerate(right.T):
            page.locator(f'[data-matrix="{c}"] button').nth(i * right.shape[1] + j).click()
            seen = read(page)
            close(seen["matrices"][c], product)
            close(seen["terms"], np.stack([row, column], axis=1))
            close(sum(x * y for x, y in seen["terms"]), product[i, j])
            close(seen["lineValues"][-1], product[i, j])
            close(seen["workings"], np.stack([row, column, row * column], axis=1))
            assert [cell for cell in seen["row"] if cell[0] == a] == [
                [a, i, k] for k in range(inner)
            ]
            assert [cell for cell in seen["col"] if cell[0] == b] == [
                [b, k, j] for k in range(inner)
            ]
            assert seen["out"] == [[c, i, j]]
            pressed = page.locator(f'[data-matrix="{c}"] button[aria-pressed="true"]')
            assert pressed.count() == 1
            assert pressed.get_attribute("tabindex") == "0"


def arrows_move_inside(page: "Page", name: str, sizes: tuple[int, int]) -> None:
    """Arrow keys, Home and End move the choice, focus goes with it, and edges hold."""
    _n, m = sizes
    buttons = page.locator(f'[data-matrix="{name}"] button')
    buttons.nth(0).click()
    steps = [
        ("ArrowRight", (0, 1)),
        ("ArrowDown", (1, 1)),
        ("ArrowLeft", (1, 0)),
        ("ArrowUp", (0, 0)),
    ]
    edges = [("ArrowUp", (0, 0)), ("End", (0, m - 1)), ("ArrowRight", (0, m - 1)), ("Home", (0, 0))]
    said = page.locator(".f-line").inner_text()
    for key, (i, j) in steps + edges:
        page.keyboard.press(key)
        seen = read(page)
        assert seen["out"] == [[name, i, j]], key
        assert seen["focus"] == buttons.nth(i * m + j).get_attribute("aria-label"), key
    page.keyboard.press("End")
    assert page.locator(".f-line").inner_text() != said
    page.keyboard.press("Home")


def numbers_are_rounded(page: "Page") -> None:
    """What is written is the documented rounding of what is carried."""
    pairs = page.evaluate("probe.written()")
    assert pairs
    assert [text for _, text in pairs] == [rounded(float(value)) for value, _ in pairs]


def numbers_are_carried(page: "Page") -> None:
    """No number is written without its full precision beside it."""
    assert page.evaluate("probe.loose()") == []
