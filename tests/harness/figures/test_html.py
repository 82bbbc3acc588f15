"""The figures as HTML: what a reader without a script has, and what a page must be safe from."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from grader.figures import NAMES, cloud, fallback_html, figure_html, page_assets
from harness.figures.oracle import DIMS, block, fact, softmax
from harness.figures.oracle import cloud as oracle_cloud


class Tables(HTMLParser):
    """Captions with the numbers under them, and headings that lack a scope."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.numbers: dict[str, list[list[float]]] = {}
        self.unscoped = 0
        self._caption: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "caption":
            self._caption = ""
        elif tag == "tr":
            self._rows.append([])
        elif tag == "th" and "scope" not in given:
            self.unscoped += 1
        elif tag == "td" and given.get("data-value") is not None:
            self._rows[-1].append(float(str(given["data-value"])))
        elif tag == "table":
            self._rows: list[list[float]] = []

    def handle_data(self, data: str) -> None:
        if self._caption is not None:
            self._caption += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "caption":
            self._last, self._caption = self._caption or "", None
        elif tag == "table":
            self.numbers[self._last] = [row for row in self._rows if row]


def _expected(name: str) -> dict[str, Any]:
    all_of, row = block(), np.array([3, 1.625, 1, 1.5])
    root = np.sqrt(DIMS)[:, None]
    lengths = np.array([2, 4, 8, 16, 32, 64, 1024, 32768])
    raw = oracle_cloud(cloud.SEED)[[d - 1 for d in DIMS]]
    spread = np.stack(
        [root[:, 0], raw.std(1), (raw / root).std(1), (abs(raw) <= 2 * root).mean(1)], 1
    )
    size = np.linalg.norm(all_of["V"], axis=1)
    tables: dict[str, dict[str, Any]] = {
        "projection": {
            "X (4 × 8)": fact("X"),
            "WQ (8 × 4)": fact("W_Q"),
            "Q (4 × 4)": all_of["Q"],
        },
        "scores": {
            "Q (2 × 4)": all_of["Q"][1:3],
            "Kᵀ (4 × 2)": all_of["K"][1:3].T,
            "S = Q Kᵀ (2 × 2)": all_of["S"][1:3, 1:3],
            "Cost of n tokens": np.stack([8 * lengths, lengths**2], axis=1),
        },
        "cloud": {"Standard deviation at every step": spread},
        "saturation": {
            "Raw scores, √dk · row": root * row,
            "softmax(s), raw": softmax(root * row),
            "softmax(s / √dk), scaled, at every dk": [softmax(row)],
        },
        "walkthrough": {
            "A (4 × 4), and the sum of each row": np.column_stack([all_of["A"], np.ones(4)]),
            **{f"{name} (4 × 4)": all_of[name] for name in "QKVSZO"},
            "X (4 × 8)": fact("X"),
            "WO (4 × 8)": fact("W_O"),
            "Y (4 × 8)": all_of["Y"],
        },
        "heatmap": {
            "A (4 × 4)": all_of["A"],
            "How sat spends its budget": np.stack([all_of["A"][2], size, all_of["A"][2] * size], 1),
        },
    }
    return tables[name]


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_hold_the_oracle_s_numbers(name: str) -> None:
    tables = Tables(fallback_html(name))
    assert tables.unscoped == 0
    assert tables.numbers.keys() == _expected(name).keys()
    for caption, expected in _expected(name).items():
        np.testing.assert_allclose(
            tables.numbers[caption], expected, rtol=0, atol=1e-9, err_msg=caption
        )


def _state(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_carries_its_numbers_and_its_tables(name: str) -> None:
    html = figure_html(name)
    assert html.startswith(f'<figure class="figure" data-figure="{name}">')
    assert fallback_html(name) in html
    assert _state(html)["title"]
    assert "mine" not in _state(html)


def test_an_unknown_figure_is_named_with_those_that_exist() -> None:
    with pytest.raises(
        ValueError, match=r"no figure is called 'graph'; there are projection, scores"
    ):
        figure_html("graph")


def test_text_of_a_learner_s_cannot_leave_the_json() -> None:
    text = "</script><script>alert(1)</script><!-- <b>"
    html = figure_html("projection", mine={"Q": text}, diagnosis=text)
    assert html.count("<script") == 1
    assert "<!--" not in html
    assert _state(html)["mine"] == {"Q": text}
    assert _state(html)["diagnosis"] == text


def test_a_result_that_is_no_matrix_becomes_a_sentence() -> None:
    mine = _state(figure_html("projection", mine={"Q": None}))["mine"]
    assert mine == {
        "Q": "It is not a matrix of numbers: expected a tensor of real numbers, got NoneType."
    }


def test_the_assets_are_self_contained() -> None:
    css, script = page_assets()
    assert "@import" not in css
    assert "url(" not in css
    assert script.startswith('"use strict";')
