"""The widgets take a learner's tensors; what reaches the browser is what the figure reads."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from grader.figures import (
    NAMES,
    Cloud,
    Heatmap,
    Projection,
    Saturation,
    Scores,
    Walkthrough,
    cloud,
    worked_example,
)
from grader.figures.content import state
from harness.figures.bench import Bench

EXAMPLE = worked_example()
KINDS: list[Callable[[Any], Any]] = [np.asarray, torch.tensor, lambda array: array.tolist()]
WIDGETS: dict[str, Callable[[], Any]] = {
    "projection": lambda: Projection(EXAMPLE.X, EXAMPLE.W_Q),
    "scores": lambda: Scores(EXAMPLE.Q, EXAMPLE.K),
    "cloud": Cloud,
    "saturation": Saturation,
    "walkthrough": Walkthrough,
    "heatmap": lambda: Heatmap(EXAMPLE.A, EXAMPLE.V),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_key_of_the_figure_is_a_trait(name: str) -> None:
    widget = WIDGETS[name]()
    synced = widget.get_state()
    assert state(name).keys() <= synced.keys()
    assert synced["title"] == state(name)["title"]
    assert synced["mine"] is None
    assert "render" in synced["_esm"]
    assert ".f-root" in synced["_css"]


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_tensors_and_lists_are_the_same(kind: Callable[[Any], Any]) -> None:
    widget = Projection(kind(EXAMPLE.X), kind(EXAMPLE.W_Q), kind(EXAMPLE.Q))
    assert EXAMPLE.X.tolist() == widget.X
    assert widget.mine == {"Q": EXAMPLE.Q.tolist()}
    assert widget.tokens == ["The", "cat", "sat", "down"]


def test_other_numbers_lose_the_words_of_the_example() -> None:
    widget = Projection(np.ones((4, 8)), EXAMPLE.W_Q)
    assert (widget.tokens, widget.features, widget.channels) == (None, None, None)


def test_a_forgotten_return_is_said() -> None:
    assert "NoneType" in Projection(EXAMPLE.X, EXAMPLE.W_Q, None).mine["Q"]
    assert Projection(EXAMPLE.X, EXAMPLE.W_Q).mine is None


def test_each_result_goes_by_its_name() -> None:
    scaled = [row / np.sqrt(d) for d, row in zip(cloud.DIMS, cloud.scores(), strict=True)]
    assert Scores(EXAMPLE.Q, EXAMPLE.K, EXAMPLE.S).mine == {"S": EXAMPLE.S.tolist()}
    assert np.shape(Cloud(scaled=scaled).mine["scaled"]) == (10, 240)
    assert Saturation(scaled=np.ones((10, 4))).mine == {"scaled": [[1] * 4] * 10}
    assert Walkthrough(mine={"A": EXAMPLE.A}, diagnosis="Why?").diagnosis == "Why?"
    assert Heatmap(EXAMPLE.A, EXAMPLE.V, out=EXAMPLE.O).mine == {"O": EXAMPLE.O.tolist()}


def test_a_cloud_of_other_vectors_has_their_own_steps() -> None:
    q, k = np.random.default_rng(7).normal(size=(2, 50, 20))
    widget = Cloud(torch.tensor(q), k)
    assert widget.dims == [1, 2, 4, 8, 16]
    np.testing.assert_allclose(widget.raw[-1], (q * k)[:, :16].sum(axis=1))


@pytest.mark.parametrize("name", NAMES)
def test_a_widget_s_module_draws_speaks_to_its_model_and_stops(bench: Bench, name: str) -> None:
    widget = WIDGETS[name]()
    given = {key: getattr(widget, key) for key in state(name)} | {"mine": None}
    page = bench.show("projection")
    drawn = page.evaluate("([esm, state]) => probe.widget(esm, state)", [widget._esm, given])
    assert drawn["title"] == state(name)["title"]
    assert drawn["numbers"] > 10
    assert drawn["saved"] >= 1, "what the reader chooses goes back to Python"
    assert drawn["heard"] > 5
    assert drawn["left"] == 0
    assert drawn["hash"] == "", "a notebook's address is not ours"
