"""Figure 5: six phases, one token followed through all of them."""

from typing import Any

import numpy as np
import pytest

from harness import exhaustive
from harness.figures import claims
from harness.figures.bench import ORIGIN, Bench, put, read
from harness.figures.claims import close
from harness.figures.oracle import FACTS, block, fact

ALL = block() | {"X": fact("X"), "W_O": fact("W_O")}
SHOWN = [
    ["X", "Q", "K", "V"],
    ["Q", "K", "S"],
    ["S", "Z"],
    ["Z", "A"],
    ["A", "V", "O"],
    ["O", "W_O", "Y"],
]
LIT = [
    {"row": "XQK", "outrow": "V"},
    {"row": "Q", "outrow": "S"},
    {"row": "S", "outrow": "Z"},
    {"row": "Z", "outrow": "A"},
    {"row": "A", "outrow": "O"},
    {"row": "O", "outrow": "Y"},
]


HASH = "location.hash"


def _steps(phase: int, i: int) -> Any:
    """The numbers of the table under the matrices, row by row."""
    x, (q, k, v) = fact("X")[i], (ALL[name] for name in "QKV")
    s, z, a, o = (ALL[name][i] for name in "SZAO")
    weights = [fact(name) for name in ("W_Q", "W_K", "W_V")]
    if phase == 0:
        rows = [[x[f], *(n for w in weights for n in w[f])] for f in np.flatnonzero(x)]
        return [*rows, [*q[i], *k[i], *v[i]]]
    if phase == 1:
        return [[*np.stack([q[i], k[j]], axis=1).ravel(), s[j]] for j in range(4)]
    if phase == 2:
        return [[s[j], FACTS["d_k"], z[j]] for j in range(4)]
    if phase == 3:
        return [*([z[j], np.exp(z[j]), a[j]] for j in range(4)), [np.exp(z).sum(), 1]]
    if phase == 4:
        return [*([a[j], *v[j], *(a[j] * v[j])] for j in range(4)), o]
    return [x, ALL["U"][i], ALL["Y"][i]]


@pytest.mark.parametrize("phase", exhaustive.sampled(range(6), 3))
def test_every_token_in_every_phase(bench: Bench, phase: int) -> None:
    page = bench.show("walkthrough", address=f"#walkthrough-{phase + 1}")
    for i in range(4):
        page.locator("fieldset:not([hidden]) input[type=radio]").nth(i).check()
        seen = read(page)
        assert list(seen["matrices"]) == SHOWN[phase]
        for name, values in seen["matrices"].items():
            close(values, ALL[name])
        for kind, names in LIT[phase].items():
            expected = [[name, i, c] for name in names for c in range(ALL[name].shape[1])]
            assert seen[kind] == expected, kind
        rows, expected = seen["tables"][0]["rows"], _steps(phase, i)
        assert len(rows) == len(expected)
        for row, numbers in zip(rows, expected, strict=True):
            close(row, numbers)
        assert FACTS["tokens"][i] in seen["tables"][0]["caption"]
        assert seen["line"].startswith(FACTS["tokens"][i])
        claims.numbers_are_rounded(page)
    claims.numbers_are_carried(page)


def test_rows_of_weights_add_up_to_one(bench: Bench) -> None:
    page = bench.show("walkthrough", address="#walkthrough-4")
    sums = page.locator(".f-extra [data-value]").evaluate_all(
        "all => all.map((n) => Number(n.dataset.value))"
    )
    np.testing.assert_allclose(sums, np.ones(4), rtol=0, atol=1e-12)
    two_decimals = (
        page.locator("[data-matrix=A] tbody tr").nth(2).locator(".f-cell").all_inner_texts()
    )
    assert sum(map(float, two_decimals)) == pytest.approx(1, abs=0.011)


@pytest.mark.parametrize(
    ("phase", "token", "sentence"),
    [
        (0, 1, "cat looks for a determiner and an action and away from a direction."),
        (1, 2, "sat scores highest with cat: 4."),
        (
            2,
            3,
            "down has scores between −1 and 3; divided by √4 = 2, they keep their order "
            "and lie between −0.5 and 1.5.",
        ),
        (3, 1, "cat gives the most to The and sat: 0.35 each."),
        (4, 3, "down takes up the most of doing: 1.95."),
        (5, 1, "cat gains article 0.71, alive 0.64, moves 1.35, place 0.59; all else stays."),
    ],
)
def test_the_sentence_says_what_is_to_be_seen(
    bench: Bench, phase: int, token: int, sentence: str
) -> None:
    page = bench.show("walkthrough", address=f"#walkthrough-{phase + 1}")
    put(page, "token", token)
    assert read(page)["line"] == sentence


def test_next_and_previous_restore_what_was_there(bench: Bench) -> None:
    page = bench.show("walkthrough")
    page.locator("fieldset:not([hidden]) input[type=radio]").nth(2).check()
    forward = [read(page)]
    for step in range(2, 7):
        page.get_by_role("button", name="Next").click()
        assert page.url == f"{ORIGIN}/#walkthrough-{step}"
        assert page.locator("[aria-current=step]").inner_text().startswith(str(step))
        forward.append(read(page))
    assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="Next").click(force=True)
    assert page.url == f"{ORIGIN}/#walkthrough-6"
    for step in range(5, 0, -1):
        page.get_by_role("button", name="Previous").click()
        seen = read(page)
        assert {**seen, "focus": 0} == {**forward[step - 1], "focus": 0}
    assert page.get_by_role("button", name="Previous").get_attribute("aria-disabled") == "true"


def test_the_address_leads_to_a_phase_and_other_anchors_do_not(bench: Bench) -> None:
    page = bench.show("walkthrough", address="#walkthrough-5")
    assert list(read(page)["matrices"]) == SHOWN[4]
    page.evaluate("location.hash = '#walkthrough-2'")
    page.wait_for_function("document.querySelector('[data-matrix=S]')")
    page.evaluate("location.hash = '#some-section'")
    assert list(read(page)["matrices"]) == SHOWN[1]


def test_the_rail_is_one_tab_stop_with_arrows_inside(bench: Bench) -> None:
    page = bench.show("walkthrough")
    page.keyboard.press("Tab")
    for key, phase in [
        ("ArrowRight", 2),
        ("End", 6),
        ("ArrowRight", 6),
        ("ArrowLeft", 5),
        ("Home", 1),
    ]:
        page.keyboard.press(key)
        current = page.locator("[aria-current=step]")
        assert current.inner_text().startswith(str(phase))
        assert current.evaluate("(button) => button === document.activeElement")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert read(page)["line"].startswith("sat")
    page.keyboard.press("ArrowLeft")
    assert read(page)["line"].startswith("cat")


def test_keys_alone_lead_through_all_of_it(bench: Bench) -> None:
    page = bench.show("walkthrough", after='<a id="after" href="#after">after</a>')
    label = "(document.activeElement.closest('label') ?? document.activeElement).textContent"
    stops = []
    for _ in range(4):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(label))
    assert stops == ["1 Q, K, V", "cat", "← Previous", "Next →"]
    for phase in range(2, 7):
        page.keyboard.press("Enter")
        assert page.evaluate(HASH) == f"#walkthrough-{phase}"
        assert list(read(page)["matrices"]) == SHOWN[phase - 1]
        assert page.evaluate(label) == "Next →"
    page.keyboard.press("Enter")  # there is no seventh, and the focus stays where it is
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert page.evaluate(HASH) == "#walkthrough-5"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    assert read(page)["line"].startswith("sat takes up the most of")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Home")
    assert page.evaluate(HASH) == "#walkthrough-1"
    assert read(page)["line"].startswith("sat looks for")
    page.keyboard.press("End")
    assert page.evaluate(HASH) == "#walkthrough-6"
    for wanted in ("sat", "← Previous", "Next →", "Y", "after"):
        page.keyboard.press("Tab")
        assert page.evaluate(label) == wanted
