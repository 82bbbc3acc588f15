"""What each figure says and the numbers it starts from, for page, table and widget."""

from collections.abc import Callable
from typing import Any

from grader.figures import cloud
from grader.figures.example import worked_example
from grader.figures.numbers import nested

State = dict[str, Any]

TEXTS: dict[str, dict[str, str]] = {
    "projection": {
        "title": "Project: each query is a row of X times a matrix",
        "task": "Choose a cell of Q. Which row and which column made it?",
        "caption": "Each number of Q is one row of X times one column of W_Q: product by product, "
        "then added. W_Q is learnt and the same for every sentence; Q is made afresh for each. "
        "K = X W_K and V = X W_V are made in the same way.",
    },
    "scores": {
        "title": "Score: every query meets every key",
        "task": "Choose a score. Which query and which key made it?",
        "caption": "Transposing turns each row of K into a column, so that row i of Q meets key j "
        "in S[i, j]. S is not symmetric: what one word looks for in another is not what the other "
        "looks for in it. Tokens add rows to Q and K, but rows and columns to S: the cost is n².",
    },
    "cloud": {
        "title": "Scale: dot products widen with d, scaled ones stay",
        "task": "Move d. Which of the two panels changes?",
        "caption": "240 pairs of random vectors with unit variance, drawn once; each mark is one "
        "pair, and step d shows the dot product of its first d components. The dashed lines are "
        f"two standard deviations in theory: ±2√d above, ±2 below. The seed, {cloud.SEED}, was "
        "picked: with it the measured spread stays within 5 % of √d at every d from 1 to 512, "
        "where another seed strays by about that much at each step.",
    },
    "saturation": {
        "title": "Softmax: without the scale it saturates",
        "task": "Move d_k. Which weights change, and what happens to the gradient?",
        "caption": "The raw scores are √d_k · [3, 1.625, 1, 1.5], which at d_k = 64 is "
        "[24, 13, 8, 12]; divided by √d_k they are the same for every d_k. The gradient is the "
        "Frobenius norm of the Jacobian of the weights with respect to the raw scores s; for the "
        "scaled panel it includes the factor 1/√d_k. What saturates softmax is the differences "
        "between scores: adding the same number to all of them changes nothing.",
    },
    "walkthrough": {
        "title": "The cat sat down: one attention block, step by step",
        "task": "Choose a token and step through the six phases.",
        "caption": "Row sums in phase 4 are added from full precision: the two decimals that are "
        "shown may add up to 0.99 or 1.01. In phase 6, W_O writes who to alive, doing to moves, "
        "where to place and grammar to article.",
    },
    "heatmap": {
        "title": "Read: strong attention to a value near zero adds nothing",
        "task": "Choose a weight, then set that token's value near zero. What changes?",
        "caption": "A row is one token's budget: it adds up to 1. The map shows where one head "
        "looks, not what the model thinks: what a token adds is its weight times its value.",
    },
}


def _words(**keys: str) -> State:
    """Labels of the worked example, by the key under which a figure reads them."""
    return {key: list(getattr(worked_example(), name)) for key, name in keys.items()}


def _example(*names: str) -> State:
    return {name: nested(getattr(worked_example(), name)) for name in names}


def _projection() -> State:
    words = _words(tokens="tokens", features="features", channels="qk_channels")
    return {**_example("X", "W_Q"), **words, "selected": [1, 2]}


def _scores() -> State:
    """Two tokens of the four: cat and sat."""
    example, two = worked_example(), slice(1, 3)
    words = {"tokens": list(example.tokens[two]), "key_tokens": list(example.tokens[two])}
    numbers = {"Q": nested(example.Q[two]), "K": nested(example.K[two])}
    chosen = {"selected": [1, 0], "length": 3}
    return {**numbers, **words, **_words(channels="qk_channels"), **chosen}


def _cloud() -> State:
    return {"seed": cloud.SEED, "pairs": cloud.PAIRS, "dims": list(cloud.DIMS), "step": 6}


def _saturation() -> State:
    return {"row": nested(worked_example().saturation_scaled), "step": 6}


def _walkthrough() -> State:
    names = ("tokens", "features", "qk_channels", "v_channels")
    words = _words(**{name: name for name in names})
    return {**_example("X", "W_Q", "W_K", "W_V", "W_O"), **words, "phase": 0, "token": 1}


def _heatmap() -> State:
    words = _words(tokens="tokens", key_tokens="tokens", v_channels="v_channels")
    return {**_example("A", "V"), **words, "selected": [2, 1]}


_STATES: dict[str, Callable[[], State]] = {
    "projection": _projection,
    "scores": _scores,
    "cloud": _cloud,
    "saturation": _saturation,
    "walkthrough": _walkthrough,
    "heatmap": _heatmap,
}

NAMES = tuple(_STATES)


def state(name: str) -> State:
    """What the figure's module finds in its model: texts, numbers of the worked example, labels.

    Raises:
        ValueError: there is no figure of that name.
    """
    if name not in _STATES:
        raise ValueError(f"no figure is called {name!r}; there are {', '.join(NAMES)}")
    return {**TEXTS[name], **_STATES[name]()}


def results(mine: object) -> State | None:
    """The learner's own results as the figures show them: numbers, or one line of text instead.

    `mine` maps the name of a quantity ("Q", "A", …) to a tensor, array or list, or to the text of
    the error that computing it raised.
    """
    if not isinstance(mine, dict):
        return None
    return {
        str(name): value if isinstance(value, str) else _own(value) for name, value in mine.items()
    }


def _own(value: object) -> object:
    try:
        return nested(value)
    except (TypeError, ValueError) as error:
        return f"It is not a matrix of numbers: {error}."
