"""Figure 6: weights as a map, and a value near zero that strong attention cannot make count."""

import numpy as np

from harness.figures import claims
from harness.figures.bench import Bench, put, read
from harness.figures.claims import close
from harness.figures.oracle import FACTS, block

A, V = (block()[name] for name in "AV")


def _budget(i: int, v: object) -> object:
    lengths = np.linalg.norm(v, axis=1)  # type: ignore[call-overload]  # a matrix of numbers
    return np.stack([A[i], lengths, A[i] * lengths], axis=1)


def test_every_cell_with_its_value_and_with_it_near_zero(bench: Bench) -> None:
    page = bench.show("heatmap")
    for i in range(4):
        for j in range(4):
            page.locator('[data-matrix="A"] button').nth(4 * i + j).click()
            quiet = V.copy()
            quiet[j] *= 0.01
            for value, on in ((V, False), (quiet, True)):
                put(page, "quiet", on)
                seen = read(page)
                close(seen["matrices"]["A"], A)
                close(seen["matrices"]["O"], A @ value)
                close(seen["tables"][0]["rows"][:4], _budget(i, value))
                close(seen["tables"][0]["rows"][4], [1])
                adds = np.linalg.norm(A[i, j] * V[j])
                close(seen["lineValues"], [A[i, j], adds, 0.01 * adds])
                assert seen["out"] == [["A", i, j]]
                assert seen["outrow"] == [["O", i, c] for c in range(4)]
            put(page, "quiet", False)
    claims.numbers_are_rounded(page)
    claims.numbers_are_carried(page)


def test_the_switch_names_the_token_and_works_by_key(bench: Bench) -> None:
    page = bench.show("heatmap")
    switch = page.get_by_role("switch", name="Set the value of cat near zero (× 0.01)")
    switch.focus()
    page.keyboard.press("Space")
    close(read(page)["matrices"]["O"][2], A[2] @ (V * np.array([[1], [0.01], [1], [1]])))
    page.keyboard.press("Space")
    close(read(page)["matrices"]["O"], A @ V)


def test_keys_alone_are_enough(bench: Bench) -> None:
    claims.arrows_move_inside(bench.show("heatmap"), "A", (4, 4))


def test_names_say_row_column_and_weight(bench: Bench) -> None:
    page = bench.show("heatmap")
    names = page.locator('[data-matrix="A"] button').evaluate_all(
        "all => all.map((b) => b.getAttribute('aria-label'))"
    )
    tokens = FACTS["tokens"]
    assert names == [
        f"A, {r}, {c}: {A[i, j]:.2f}" for i, r in enumerate(tokens) for j, c in enumerate(tokens)
    ]


def test_darker_means_more(bench: Bench) -> None:
    page = bench.show("heatmap")
    weights = page.locator('[data-matrix="A"] .f-cell').evaluate_all(
        "all => all.map((n) => Number(n.style.getPropertyValue('--w')))"
    )
    close(np.reshape(weights, (4, 4)), A)
