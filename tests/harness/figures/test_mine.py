"""The learner's own numbers: marked where they differ, named, and never the end of the figure."""

from typing import Any

import numpy as np
import pytest

from grader.figures import cloud
from grader.figures.content import results
from harness import exhaustive
from harness.figures.bench import Bench, put, read
from harness.figures.claims import close
from harness.figures.oracle import DIMS, block, softmax

ALL = block()
ROW = np.array([3, 1.625, 1, 1.5])
PHASES = {"Q": 0, "K": 0, "V": 0, "S": 1, "Z": 2, "A": 3, "O": 4, "Y": 5}
# Where each quantity is shown: figure, the phase if any, the reference.
PLACES: list[tuple[str, str, int, Any]] = [
    ("projection", "Q", 0, ALL["Q"]),
    ("scores", "S", 0, ALL["S"][1:3, 1:3]),
    *(("walkthrough", name, PHASES[name], ALL[name]) for name in "QKVSZAOY"),
    ("heatmap", "A", 0, ALL["A"]),
    ("heatmap", "O", 0, ALL["O"]),
]
IDS = [f"{figure}-{name}" for figure, name, *_ in PLACES]
DIAGNOSIS = "One number is off: was it added twice?"


def _shown(bench: Bench, figure: str, phase: int, mine: dict[str, object]) -> Any:
    page = bench.show(figure, mine=mine, diagnosis=DIAGNOSIS)
    if phase:
        put(page, "phase", phase)
    return page


@pytest.mark.parametrize(
    ("figure", "name", "phase", "reference"), exhaustive.sampled(PLACES, 5), ids=IDS
)
def test_a_wrong_cell_is_hatched_marked_and_named(
    bench: Bench, figure: str, name: str, phase: int, reference: Any
) -> None:
    own = reference.astype(np.float32).astype(np.float64)  # float32's rounding is no difference
    own[1, 0] += 3
    page = _shown(bench, figure, phase, {name: own})
    seen = read(page)
    assert seen["wrong"] == [[name, 1, 0]]
    close(seen["matrices"][name], own)
    cell = page.locator(".f-body td.is-wrong")
    assert "≠" in cell.inner_text()
    assert "repeating-linear-gradient" in cell.evaluate(
        "(td) => getComputedStyle(td).backgroundImage"
    )
    button = cell.locator("button")
    spoken = button.get_attribute("aria-label") if button.count() else cell.text_content()
    assert f"reference {reference[1, 0]:.3g}"[:13] in str(spoken).replace("−", "-")
    close(float(cell.get_attribute("data-reference")), reference[1, 0])
    count = reference.size
    assert seen["notes"] == [
        f"In your {name}, 1 of {count} numbers differ from the reference; they are marked ≠.",
        DIAGNOSIS,
    ]


@pytest.mark.parametrize(
    ("figure", "name", "phase", "reference"), exhaustive.sampled(PLACES, 5), ids=IDS
)
def test_another_shape_is_said_and_the_figure_stays(
    bench: Bench, figure: str, name: str, phase: int, reference: Any
) -> None:
    seen = read(_shown(bench, figure, phase, {name: reference[:, :1].T}))
    n, m = reference.shape
    assert (
        seen["notes"][0]
        == f"The shape of your {name} is (1 × {n}), expected ({n} × {m}). The reference is shown."
    )
    close(seen["matrices"][name], reference)
    assert seen["wrong"] == []


NO_MATRIX: list[tuple[object, str]] = [
    ("mixing.py, line 3: NameError: name 'v' is not defined", "NameError: name 'v' is not defined"),
    (None, "got NoneType"),
    ([[1, 2], [3]], "The shape of your"),
    ([], "The shape of your"),
    (3.5, "The shape of your"),
    (np.zeros((2, 4, 4)), "(2 × 4 × 4)"),
]


@pytest.mark.parametrize(
    ("figure", "name"),
    [("projection", "Q"), ("scores", "S"), ("walkthrough", "K"), ("heatmap", "A")],
)
def test_what_is_no_matrix_is_said_and_the_figure_stays(
    bench: Bench, figure: str, name: str
) -> None:
    page = bench.show(figure, mine={name: 0})
    for own, said in NO_MATRIX:
        put(page, "mine", results({name: own}))
        seen = read(page)
        assert said in seen["notes"][0]
        close(seen["matrices"][name], ALL[name][1:3, 1:3] if figure == "scores" else ALL[name])


def test_numbers_that_are_none_are_wrong(bench: Bench) -> None:
    own = ALL["A"].copy()
    own[0] = [np.nan, np.inf, -np.inf, own[0, 3]]
    seen = read(bench.show("heatmap", mine={"A": own}))
    assert seen["wrong"] == [["A", 0, j] for j in range(3)]


def test_the_reader_switches_between_reference_and_mine(bench: Bench) -> None:
    page = bench.show("projection", mine={"Q": ALL["Q"] + 1}, diagnosis=DIAGNOSIS)
    page.get_by_role("radio", name="reference").check()
    seen = read(page)
    assert (seen["wrong"], seen["notes"]) == ([], [])
    close(seen["matrices"]["Q"], ALL["Q"])
    page.get_by_role("radio", name="mine").check()
    assert len(read(page)["wrong"]) == 16
    assert "(yours: 2)" in read(page)["line"]


def test_without_own_numbers_there_is_no_switch(bench: Bench) -> None:
    page = bench.show("projection")
    assert page.get_by_role("radio", name="mine").count() == 0
    put(page, "mine", {"Q": ALL["Q"].tolist()})
    assert page.get_by_role("radio", name="mine").is_checked()
    assert read(page)["notes"] == ["In your Q, all 16 numbers agree with the reference."]
    assert page.locator(".f-notes.is-off").count() == 0
    put(page, "mine", {"Q": (ALL["Q"] + 1).tolist()})
    assert page.locator(".f-notes.is-off").count() == 1


def test_numbers_that_read_alike_are_told_apart(bench: Bench) -> None:
    own = ALL["A"].copy()
    own[1, 0] += 0.001
    page = bench.show("heatmap", mine={"A": own})
    label = page.locator("td.is-wrong button").get_attribute("aria-label")
    assert label == "A, cat, The: 0.354, not equal, reference 0.353"


def test_a_text_of_the_learner_s_stays_text(bench: Bench) -> None:
    page = bench.show(
        "projection", mine={"Q": "<img src=x onerror=alert(1)>"}, diagnosis="<b>bold</b>"
    )
    assert page.locator(".f-notes :is(img, b)").count() == 0
    assert "<img" in read(page)["notes"][0]


def test_own_scaling_in_the_cloud(bench: Bench) -> None:
    own = cloud.scores() / np.sqrt(DIMS)[:, None]
    own[6, :5] *= 2
    page = bench.show("cloud", mine={"scaled": own})
    assert page.locator("rect.is-wrong").count() == 5
    assert read(page)["notes"] == [
        "In your scaled dot products, 5 of 2400 numbers differ from the reference; "
        "they are marked ≠."
    ]
    put(page, "step", 3)
    assert page.locator("rect.is-wrong").count() == 0


def test_own_weights_in_the_saturation_figure(bench: Bench) -> None:
    own = np.tile(softmax(ROW), (10, 1))
    own[6] = [1, 0, 0, 0]
    page = bench.show("saturation", mine={"scaled": own})
    assert page.locator("tr.is-wrong").count() == 4
    assert page.locator("tr.is-wrong td").last.text_content() == "0≠ reference 0.14"
    put(page, "step", 2)
    assert page.locator("tr.is-wrong").count() == 0
