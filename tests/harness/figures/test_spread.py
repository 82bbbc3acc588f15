"""Figures 3 and 4: what grows with the width, and what the scale keeps."""

from typing import Any

import numpy as np

from grader.figures import cloud
from harness.figures import claims, oracle
from harness.figures.bench import Bench, put, read
from harness.figures.claims import close
from harness.figures.oracle import DIMS

RAW = oracle.cloud(cloud.SEED)[[d - 1 for d in DIMS]]
ROW = np.array([3, 1.625, 1, 1.5])


def test_every_mark_at_every_step(bench: Bench) -> None:
    """Each mark is its pair's dot product; the scaled panel stays; the axes are one axis."""
    page = bench.show("cloud")
    page.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    heights = page.evaluate("probe.marks()")["raw"]["heights"]
    for step, d in enumerate(DIMS):
        seen, root = page.evaluate("probe.marks()"), np.sqrt(d)
        close(seen["raw"]["values"], RAW[step])
        close(seen["scaled"]["values"], RAW[step] / root)
        close(seen["raw"]["bounds"], [-2 * root, 2 * root])
        close(seen["scaled"]["bounds"], [-2, 2])
        assert seen["raw"]["heights"] == heights
        unit = (np.array(seen["raw"]["lines"]) - 50) / (2 * root)
        close(unit, (np.array(seen["scaled"]["lines"]) - 50) / 2)
        np.testing.assert_allclose(
            (np.array(seen["raw"]["places"]) - 50) / unit[1], RAW[step], atol=1e-6
        )
        assert all(0 < place < 100 for place in seen["raw"]["places"])
        _readout(read(page), step)
        claims.numbers_are_rounded(page)
        page.keyboard.press("ArrowRight")


def _readout(seen: Any, step: int) -> None:
    root, raw = np.sqrt(DIMS[step]), RAW[step]
    inside = (np.abs(raw) <= 2 * root).mean()
    close(seen["tables"][0]["rows"], [[root, raw.std(), inside], [1, (raw / root).std(), inside]])
    assert abs(raw.std() / root - 1) < 0.05
    roots = np.sqrt(DIMS)
    close(
        seen["tables"][1]["rows"], np.stack([DIMS, roots, RAW.std(1), RAW.std(1) / roots], axis=1)
    )
    ringed = seen["lineValues"]
    close([ringed[1], ringed[2]], [DIMS[step], root])
    assert np.abs(raw - ringed[0]).min() < 1e-9
    close(ringed[3], ringed[0] / root)


def test_stepping_back_restores_the_cloud(bench: Bench) -> None:
    page = bench.show("cloud")
    before = page.evaluate("probe.marks()")
    page.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("probe.marks()") != before
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("probe.marks()") == before


def test_the_cloud_carries_its_numbers(bench: Bench) -> None:
    claims.numbers_are_carried(bench.show("cloud"))


def test_both_rows_at_every_width(bench: Bench) -> None:
    page = bench.show("saturation")
    page.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    kept = oracle.softmax(ROW)
    for d in DIMS:
        raw, scores = oracle.softmax(np.sqrt(d) * ROW), np.sqrt(d) * ROW
        seen = read(page)
        panels = seen["tables"]
        close(panels[0]["rows"][:4], np.stack([scores, raw], axis=1))
        close(panels[1]["rows"][:4], np.stack([ROW, kept], axis=1))
        steep, gentle = oracle.jacobian_norm(raw), oracle.jacobian_norm(kept) / np.sqrt(d)
        close(panels[0]["rows"][4:], [[1], [oracle.entropy(raw)], [steep]])
        close(panels[1]["rows"][4:], [[1], [oracle.entropy(kept)], [gentle]])
        assert seen["lineValues"][0] == d
        if d <= 64:  # beyond, the oracle's own 1 − p has too few digits left
            np.testing.assert_allclose(seen["lineValues"][1], gentle / steep, rtol=1e-6)
        claims.numbers_are_rounded(page)
        page.keyboard.press("ArrowRight")
    assert len(panels[2]["rows"]) == len(DIMS)


def test_the_article_s_row_stands_at_64(bench: Bench) -> None:
    page = bench.show("saturation")
    panels = read(page)["tables"]
    assert [row[0] for row in panels[0]["rows"][:4]] == [24, 13, 8, 12]
    assert [row[0] for row in panels[1]["rows"][:4]] == [3, 1.625, 1, 1.5]
    shown = page.locator("[data-panel=is-scaled] .f-weight").all_inner_texts()
    assert [text.strip() for text in shown] == ["0.62", "0.16", "0.08", "0.14"]
    claims.numbers_are_carried(page)


def test_bars_are_as_long_as_their_weights(bench: Bench) -> None:
    page = bench.show("saturation")
    for step in (0, 9):
        put(page, "step", step)
        lengths = page.evaluate("probe.bars()")
        expected = [*oracle.softmax(np.sqrt(DIMS[step]) * ROW), *oracle.softmax(ROW)]
        np.testing.assert_allclose(lengths, expected, atol=0.02)
