"""The figures as notebook widgets that take the learner's own tensors."""

from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from grader.figures import bundle, cloud
from grader.figures.content import State, results, state
from grader.figures.example import worked_example
from grader.figures.numbers import nested

Tensor = Any
"""A NumPy array, a torch tensor or a nested list of numbers."""

# Told apart from None, which is what a function that forgot its return hands over.
_NOT_GIVEN: Any = object()


def _synced(default: object = None) -> Any:
    return traitlets.Any(default).tag(sync=True)


class Figure(anywidget.AnyWidget):
    """What all figures have: texts, the learner's results and which of the two is shown."""

    title = _synced()
    task = _synced()
    caption = _synced()
    mine = _synced()
    diagnosis = _synced()
    view = _synced("mine")

    _css = (bundle.STATIC / "figures.css").read_text(encoding="utf-8")

    def __init__(
        self, name: str, given: State, mine: dict[str, object], diagnosis: str | None
    ) -> None:
        own = {key: value for key, value in mine.items() if value is not _NOT_GIVEN}
        facts = {**state(name), **given}
        known = {key: value for key, value in facts.items() if self.has_trait(key)}
        super().__init__(mine=results(own) or None, diagnosis=diagnosis, **known)


def _inputs(**given: Tensor) -> State:
    """The given tensors; labels of the worked example go where its numbers are not."""
    example = worked_example()
    same = all(_equal(value, getattr(example, name)) for name, value in given.items())
    labels = ("tokens", "key_tokens", "features", "channels", "qk_channels", "v_channels")
    return {name: nested(value) for name, value in given.items()} | (
        {} if same else dict.fromkeys(labels)
    )


def _equal(value: Tensor, array: object) -> bool:
    numbers = np.asarray(nested(value), dtype=np.float64)
    return np.array_equal(numbers, np.asarray(array))


class Projection(Figure):
    """Figure 1: `x` (n, d_model) times `w_q` (d_model, d_k); `out` the learner's own (n, d_k)."""

    _esm = bundle.module("projection")
    X = _synced()
    W_Q = _synced()
    tokens = _synced()
    features = _synced()
    channels = _synced()
    selected = _synced()

    def __init__(
        self, x: Tensor, w_q: Tensor, out: Tensor = _NOT_GIVEN, *, diagnosis: str | None = None
    ) -> None:
        super().__init__("projection", _inputs(X=x, W_Q=w_q), {"Q": out}, diagnosis)


class Scores(Figure):
    """Figure 2: `q` (n_q, d_k) against `k` (n_k, d_k); `out` is the learner's own (n_q, n_k)."""

    _esm = bundle.module("scores")
    Q = _synced()
    K = _synced()
    tokens = _synced()
    key_tokens = _synced()
    channels = _synced()
    selected = _synced()
    length = _synced()

    def __init__(
        self, q: Tensor, k: Tensor, out: Tensor = _NOT_GIVEN, *, diagnosis: str | None = None
    ) -> None:
        given = _inputs(Q=q, K=k) | {"selected": [0, 0]}
        super().__init__("scores", given, {"S": out}, diagnosis)


class Cloud(Figure):
    """Figure 3: dot products of many pairs as d grows.

    `q` and `k` (pairs, d) default to the figure's own draw, `grader.figures.cloud.pairs()`.
    `scaled` is the learner's own scaling of the raw dot products, (steps, pairs), one row for each
    d of 1, 2, 4, … up to d; `grader.figures.cloud.scores()` gives the raw ones of the own draw.
    """

    _esm = bundle.module("cloud")
    raw = _synced()
    dims = _synced()
    seed = _synced()
    pairs = _synced()
    step = _synced()

    def __init__(
        self,
        q: Tensor = None,
        k: Tensor = None,
        scaled: Tensor = _NOT_GIVEN,
        *,
        diagnosis: str | None = None,
    ) -> None:
        given = {} if q is None or k is None else _drawn(nested(q), nested(k))
        super().__init__("cloud", given, {"scaled": scaled}, diagnosis)


def _drawn(q: object, k: object) -> State:
    left, right = (np.asarray(side, dtype=np.float64) for side in (q, k))
    dims = tuple(d for d in cloud.DIMS if d <= left.shape[-1])
    return {"raw": nested(cloud.prefix_products(left, right, dims)), "dims": list(dims)}


class Saturation(Figure):
    """Figure 4: softmax of √d_k · `row`, raw and scaled, as d_k sweeps over 1, 2, 4, … 512.

    `raw` and `scaled` are the learner's own weights, (10 steps, keys), one row for each d_k.
    """

    _esm = bundle.module("saturation")
    row = _synced()
    step = _synced()

    def __init__(
        self,
        row: Sequence[float] | Tensor = None,
        raw: Tensor = _NOT_GIVEN,
        scaled: Tensor = _NOT_GIVEN,
        *,
        diagnosis: str | None = None,
    ) -> None:
        given = {} if row is None else {"row": nested(row)}
        super().__init__("saturation", given, {"raw": raw, "scaled": scaled}, diagnosis)


class Walkthrough(Figure):
    """Figure 5: one attention block from its inputs, by default the worked example.

    The learner's own results go by name: `Walkthrough(mine={"Q": q, "A": weights})`, with Q, K, V,
    S (scores), Z (scaled), A (weights), O (output) and Y (the stream after the block).
    """

    _esm = bundle.module("walkthrough")
    X = _synced()
    W_Q = _synced()
    W_K = _synced()
    W_V = _synced()
    W_O = _synced()
    tokens = _synced()
    features = _synced()
    qk_channels = _synced()
    v_channels = _synced()
    phase = _synced()
    token = _synced()

    def __init__(
        self,
        x: Tensor = None,
        w_q: Tensor = None,
        w_k: Tensor = None,
        w_v: Tensor = None,
        w_o: Tensor = None,
        *,
        mine: dict[str, Tensor] | None = None,
        diagnosis: str | None = None,
    ) -> None:
        given = {"X": x, "W_Q": w_q, "W_K": w_k, "W_V": w_v, "W_O": w_o}
        inputs = _inputs(**{name: value for name, value in given.items() if value is not None})
        super().__init__("walkthrough", inputs, dict(mine or {}), diagnosis)


class Heatmap(Figure):
    """Figure 6: `weights` (n_q, n_k) over the values `v` (n_k, d_v).

    `own_weights` and `out` (n_q, d_v) are the learner's own weights and mixed values.
    """

    _esm = bundle.module("heatmap")
    A = _synced()
    V = _synced()
    tokens = _synced()
    key_tokens = _synced()
    v_channels = _synced()
    selected = _synced()
    quiet = _synced(False)

    def __init__(
        self,
        weights: Tensor,
        v: Tensor,
        own_weights: Tensor = _NOT_GIVEN,
        out: Tensor = _NOT_GIVEN,
        *,
        diagnosis: str | None = None,
    ) -> None:
        given = _inputs(A=weights, V=v) | {"selected": [0, 0]}
        super().__init__("heatmap", given, {"A": own_weights, "O": out}, diagnosis)
