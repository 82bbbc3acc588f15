"""The course's chain: one attention block, from the stream through every stage and back to it.

The inputs are fixed, so that a learner may see every number of it.
"""

from dataclasses import replace

import numpy as np

from grader.chain import Step
from grader.suite.probe import Value
from stages.probes import mixing, projection, residual, scaling, scores, softmax

BLOCK = ("x", "w_q", "w_k", "w_v", "w_o")
PROJECT_BACK = replace(
    projection.PROJECT,
    axes={"x": "... token d_v", "weight": "d_v d_model"},
    results={"projected": "... token d_model"},
)
"""The same function, from the mixed values' features to the stream's."""

STEPS = (
    Step("projection", projection.PROJECT, ("x", "w_v"), ("v",)),
    Step("projection", projection.PROJECT_QKV, BLOCK[:-1], ("q", "k", "v")),
    Step("scores", scores.ATTENTION_SCORES, ("q", "k"), ("scores",)),
    Step("scaling", scaling.SCALE_SCORES, ("scores", "d_k"), ("scaled",)),
    Step("softmax", softmax.ROW_SOFTMAX, ("scaled",), ("weights",)),
    Step("mixing", mixing.MIX_VALUES, ("weights", "v"), ("mixed",)),
    Step("mixing", mixing.ATTENTION, ("q", "k", "v"), ("mixed",)),
    Step("projection", PROJECT_BACK, ("mixed", "w_o"), ("update",)),
    Step("residual", residual.ADD_RESIDUAL, ("x", "update"), ("stream",)),
    Step("residual", residual.ATTENTION_BLOCK, BLOCK, ("stream",)),
)
"""In the order in which a block calls them. The last one runs them all."""


def start() -> dict[str, Value]:
    """Two sequences of six tokens, and weights; no two axes have the same size."""
    rng = np.random.default_rng(7)
    x, weights = residual.random_block(rng, 6, 7, 5, 3, batch=(2,))
    return {**dict(zip(BLOCK, (x, *weights), strict=True)), "d_k": 5}
