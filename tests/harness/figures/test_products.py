"""Figures 1 and 2: a product of matrices, cell by cell."""

import numpy as np
import pytest

from harness.figures import claims
from harness.figures.bench import Bench, put, read
from harness.figures.claims import close
from harness.figures.oracle import block, fact

Q, K = (block()[name][1:3] for name in "QK")


def test_every_query_cell_explains_itself(bench: Bench) -> None:
    page = bench.show("projection")
    claims.every_cell_explains_itself(page, fact("X"), fact("W_Q"), ("X", "W_Q", "Q"))
    claims.numbers_are_rounded(page)
    claims.numbers_are_carried(page)


def test_every_score_explains_itself(bench: Bench) -> None:
    page = bench.show("scores")
    claims.every_cell_explains_itself(page, Q, K.T, ("Q", "Kᵀ", "S"))
    claims.numbers_are_rounded(page)
    claims.numbers_are_carried(page)


def test_the_transpose_is_visible(bench: Bench) -> None:
    """The key that is chosen is lit twice: as a row of K and as a column of Kᵀ."""
    page = bench.show("scores")
    seen = read(page)
    close(seen["matrices"]["K"], K)
    close(seen["matrices"]["Kᵀ"], K.T)
    for j in (0, 1):
        page.locator('[data-matrix="S"] button').nth(j).click()
        seen = read(page)
        assert [cell for cell in seen["row"] if cell[0] == "K"] == [["K", j, c] for c in range(4)]
        assert seen["col"] == [["Kᵀ", c, j] for c in range(4)]


def test_the_cost_grows_with_the_square(bench: Bench) -> None:
    page = bench.show("scores")
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    for n in (2, 4, 8, 16, 32, 64):
        seen = read(page)["tables"][-1]["rows"]
        close(seen, [[m, 8 * m, m * m] for m in (2, 4, 8, 16, 32, 64, 1024, 32768)])
        current = page.locator("tr.is-current [data-value]").evaluate_all(
            "all => all.map(n => Number(n.dataset.value))"
        )
        assert current == [n, 8 * n, n * n]
        assert (
            page.locator("svg.f-square").get_attribute("aria-label")
            == f"{n} queries by {n} keys: {n * n:,} scores"
        )
        assert float(page.locator(".f-area").get_attribute("width") or 0) == 4 * n
        assert slider.get_attribute("aria-valuetext") == str(n)
        assert page.locator("[data-matrix=S] button").count() == 4
        claims.numbers_are_rounded(page)
        page.keyboard.press("ArrowRight")


@pytest.mark.parametrize(
    ("name", "product", "sizes"), [("projection", "Q", (4, 4)), ("scores", "S", (2, 2))]
)
def test_keys_alone_are_enough(
    bench: Bench, name: str, product: str, sizes: tuple[int, int]
) -> None:
    claims.arrows_move_inside(bench.show(name), product, sizes)


def test_a_learner_s_own_shapes(bench: Bench) -> None:
    """Other sizes, no labels: rows and columns go by number."""
    rng = np.random.default_rng(3)
    x, weight = rng.normal(size=(2, 3)), rng.normal(size=(3, 5))
    page = bench.show("projection")
    for key, value in {"selected": [0, 0], "X": x.tolist(), "W_Q": weight.tolist()}.items():
        page.evaluate("([k, v]) => document.querySelector('.figure').model.set(k, v)", [key, value])
    claims.every_cell_explains_itself(page, x, weight, ("X", "W_Q", "Q"))
    assert read(page)["line"].startswith("Q[1, 4] = ")


def test_inputs_that_do_not_fit_are_said_and_mended(bench: Bench) -> None:
    page = bench.show("projection")
    put(page, "W_Q", [[1, 2], [3, 4]])
    assert "(4 × 8) · (2 × 2): 8 is not 2" in read(page)["notes"][0]
    put(page, "selected", [0, 0])
    put(page, "W_Q", fact("W_Q").tolist())
    close(read(page)["matrices"]["Q"], block()["Q"])


def test_pointing_at_a_number_lights_its_partner(bench: Bench) -> None:
    page = bench.show("projection")
    page.locator('[data-matrix="X"] td.is-row').nth(5).hover()
    lit = page.locator(".is-lit")
    assert lit.evaluate_all("all => all.map((n) => n.dataset.k)") == ["5"] * 4
    assert page.locator('[data-matrix="W_Q"] .is-lit').count() == 1
