"""What people do to numbers that should have been left alone: a table, each with its words.

The words complete "the right result …" and "right for q …".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np

from ..suite.probe import Array

Change: TypeAlias = Callable[[Array], Array]
Transform: TypeAlias = tuple[str, Change]


def _sigmoid(a: Array) -> Array:
    return 1 / (1 + np.exp(-a))


def _gelu(a: Array) -> Array:
    from math import erf  # NumPy has none

    gelu: Array = a * (1 + np.vectorize(erf)(a / np.sqrt(2))) / 2
    return gelu


def _softmax(a: Array, axis: int | None) -> Array:
    e: Array = np.exp(a - a.max(axis=axis, keepdims=True))
    weights: Array = e / e.sum(axis=axis, keepdims=True)
    return weights


def _rounded(digits: int) -> Transform:
    words = f"rounded to {digits} decimals" if digits else "rounded to whole numbers"
    return words, lambda a: np.round(a, digits)


def _as_type(name: str) -> Change:
    return lambda a: a.astype(name).astype(np.float64)


def _variance(a: Array, axis: int | None, ddof: int) -> Array:
    """As `a.var`, which warns where there is only one number; here that is nan."""
    off = (a - a.mean(axis=axis, keepdims=True)) ** 2
    count = a.size if axis is None else a.shape[axis]
    variance: Array = off.sum(axis=axis, keepdims=True) / np.float64(count - ddof)
    return variance


def _spread(a: Array, axis: int | None, eps: float) -> Array:
    spread = np.sqrt(_variance(a, axis, 1)) + eps
    normal: Array = (a - a.mean(axis=axis, keepdims=True)) / spread
    return normal


def _without(low: float) -> Change:
    return lambda a: np.where(a < low, 0, a)


def _largest(a: Array, axis: int | None, count: int, other: float) -> Array:
    """The largest numbers alone, and another number for the rest."""
    ordered = np.sort(a, axis=axis)
    least = ordered.take([-min(count, ordered.shape[axis or 0])], axis=axis or 0)
    return np.where(a < least, other, a)


def _length(a: Array, axis: int | None) -> Array:
    length: Array = np.sqrt((a * a).sum(axis=axis, keepdims=True))
    return length


_ONE_BY_ONE: tuple[Transform, ...] = (
    ("with every sign turned", np.negative),
    ("without signs", np.abs),
    ("with 0 for every negative number", lambda a: np.maximum(a, 0)),
    ("with 0 for every positive number", lambda a: np.minimum(a, 0)),
    ("with negative numbers made a hundred times smaller", lambda a: np.where(a < 0, a / 100, a)),
    ("after an exponential", np.exp),
    ("after a logarithm", np.log),
    ("after a square root", np.sqrt),
    ("squared", np.square),
    ("with one divided by every number", np.reciprocal),
    ("after a tanh", np.tanh),
    ("after a sigmoid", _sigmoid),
    ("after a gelu", _gelu),
    ("after a silu", lambda a: a * _sigmoid(a)),
    ("with -inf for every number that is not above 0", lambda a: np.where(a > 0, a, -np.inf)),
    ("with -inf for every negative number", lambda a: np.where(a < 0, -np.inf, a)),
    ("after a softplus", lambda a: np.logaddexp(0, a)),
    *((f"with 0 for every number below about {b:g}", _without(b)) for b in (0.01, 0.05, 0.1, 0.5)),
    ("with only the sign of each number", np.sign),
    ("cut to whole numbers", np.trunc),
    ("rounded down to whole numbers", np.floor),
    ("with 0 for every number", np.zeros_like),
    ("with 1 for every number", np.ones_like),
)
"""Done to every number by itself."""

_SELDOM: tuple[Transform, ...] = (
    ("after an exponential, less 1", np.expm1),
    ("without signs, after a logarithm of 1 plus it", lambda a: np.log1p(np.abs(a))),
    ("after a logarithm of 1 plus its size", lambda a: np.sign(a) * np.log1p(np.abs(a))),
    ("after an elu", lambda a: np.where(a < 0, np.expm1(a), a)),
    ("after a sine", np.sin),
    ("after a cosine", np.cos),
    ("less 1", lambda a: a - 1),
    ("plus 1", lambda a: a + 1),
    *(_rounded(digits) for digits in range(5)),
    ("in half precision", _as_type("float16")),
    ("in float32", _as_type("float32")),
)
"""Done to every number by itself, and hardly ever in the midst of a formula."""

_EVERYWHERE: tuple[tuple[str, Callable[[Array, int | None], Array]], ...] = (
    ("with the mean in every place", lambda a, x: a * 0 + a.mean(axis=x, keepdims=True)),
    ("with the sum in every place", lambda a, x: a * 0 + a.sum(axis=x, keepdims=True)),
)

_ALONG: tuple[tuple[str, Callable[[Array, int | None], Array]], ...] = (
    ("after a softmax", _softmax),
    ("after a log-softmax", lambda a, x: np.log(_softmax(a, x))),
    ("divided by the sum", lambda a, x: a / a.sum(axis=x, keepdims=True)),
    ("divided by the mean", lambda a, x: a / a.mean(axis=x, keepdims=True)),
    ("divided by the maximum", lambda a, x: a / a.max(axis=x, keepdims=True)),
    ("divided by the largest size", lambda a, x: a / np.abs(a).max(axis=x, keepdims=True)),
    ("divided by the sum of all sizes", lambda a, x: a / np.abs(a).sum(axis=x, keepdims=True)),
    ("divided by the length", lambda a, x: a / np.maximum(1e-12, _length(a, x))),
    ("divided by the spread", lambda a, x: a / np.sqrt(_variance(a, x, 1))),
    ("divided by the root mean square", lambda a, x: a / np.sqrt((a * a).mean(x, keepdims=True))),
    ("less the mean", lambda a, x: a - a.mean(axis=x, keepdims=True)),
    ("less the maximum", lambda a, x: a - a.max(axis=x, keepdims=True)),
    ("less the minimum", lambda a, x: a - a.min(axis=x, keepdims=True)),
    ("after a layer norm", lambda a, x: _normal(a, x, 0, 1e-5)),
    ("less the mean and divided by the spread", lambda a, x: _normal(a, x, 1, 0)),
    ("less the mean and divided by the spread plus 1e-5", lambda a, x: _spread(a, x, 1e-5)),
    ("less the mean and divided by the spread plus 1e-6", lambda a, x: _spread(a, x, 1e-6)),
    ("less the mean and divided by the spread (that of n, not n - 1)",
     lambda a, x: _normal(a, x, 0, 0)),
    ("spread out from 0 to 1",
     lambda a, x: (a - a.min(x, keepdims=True)) / np.ptp(a, axis=x, keepdims=True)),
    *_EVERYWHERE,
    ("with only the largest number left",
     lambda a, x: np.where(a == a.max(axis=x, keepdims=True), a, 0)),
    ("with 0 for every number that is not above the mean",
     lambda a, x: np.where(a > a.mean(axis=x, keepdims=True), a, 0)),
    ("with only the two largest numbers left", lambda a, x: _largest(a, x, 2, 0)),
    ("with -inf for all but the two largest numbers", lambda a, x: _largest(a, x, 2, -np.inf)),
)  # fmt: skip
"""Done along an axis, or over all numbers at once."""

_ORDER: tuple[tuple[str, Callable[[Array, int], Array]], ...] = (
    ("added up step by step", lambda a, x: np.cumsum(a, axis=x)),
    ("in reverse order", lambda a, x: np.flip(a, axis=x)),
    ("moved on by one", lambda a, x: np.roll(a, 1, axis=x)),
    ("moved back by one", lambda a, x: np.roll(a, -1, axis=x)),
    ("sorted", lambda a, x: np.sort(a, axis=x)),
    ("with the first in place of all", lambda a, x: a * 0 + a.take([0], axis=x)),
    ("with the last in place of all", lambda a, x: a * 0 + a.take([-1], axis=x)),
)

_ENDS: tuple[tuple[str, Callable[[Array, int], Array]], ...] = (
    ("with 0 at the first {}", lambda a, x: _cleared(a, x, 0)),
    ("with 0 at the last {}", lambda a, x: _cleared(a, x, -1)),
)

_GONE: tuple[tuple[str, Callable[[Array, int], Array]], ...] = (
    ("added up over the axis {}, which is gone", lambda a, x: a.sum(axis=x)),
    ("averaged over the axis {}, which is gone", lambda a, x: a.mean(axis=x)),
    ("added up over the axis {}, of which 1 is left", lambda a, x: a.sum(axis=x, keepdims=True)),
    ("averaged over the axis {}, of which 1 is left", lambda a, x: a.mean(axis=x, keepdims=True)),
    ("but of the axis {} only the largest number", lambda a, x: a.max(axis=x)),
    ("but only the first {}", lambda a, x: np.asarray(a.take(0, axis=x))),
    ("but only the last {}", lambda a, x: np.asarray(a.take(-1, axis=x))),
    ("but only the first {}, as an axis of 1", lambda a, x: a.take([0], axis=x)),
    ("but only the last {}, as an axis of 1", lambda a, x: a.take([-1], axis=x)),
    ("without the last {}", lambda a, x: a.take(range(a.shape[x] - 1), axis=x)),
    ("without the first {}", lambda a, x: a.take(range(1, a.shape[x]), axis=x)),
    ("twice, one after the other along {}", lambda a, x: np.concatenate([a, a], axis=x)),
)
"""Done along an axis, whose size changes."""

_MATRIX: tuple[Transform, ...] = (
    ("with 0 above the diagonal", np.tril),
    ("with 0 on and above the diagonal", partial(np.tril, k=-1)),
    ("with 0 below the diagonal", np.triu),
    ("with 0 on and below the diagonal", partial(np.triu, k=1)),
    ("with 0 on the diagonal", lambda a: a * (1 - np.eye(*a.shape[-2:]))),
    ("with 0 everywhere but on the diagonal", lambda a: a * np.eye(*a.shape[-2:])),
    ("with the last two axes swapped", lambda a: np.swapaxes(a, -1, -2)),
    ("regrouped (`reshape`, `view`) to the shape of the transpose and transposed",
     lambda a: np.swapaxes(a.reshape(*a.shape[:-2], a.shape[-1], a.shape[-2]), -1, -2)),
    ("transposed and regrouped (`reshape`, `view`) to the shape that it had",
     lambda a: np.swapaxes(a, -1, -2).reshape(a.shape)),
    ("with all axes reversed", np.transpose),
)  # fmt: skip
"""Done to the last two axes."""


def in_shape(names: list[str]) -> Iterator[Transform]:
    """Everything that may be done to an array and leaves its shape.

    Args:
        names: its axes; those of a batch are taken as one, and need not be there.
    """
    yield from usual(names)
    yield from _SELDOM


def one_by_one() -> Iterator[Transform]:
    """What may be done to every number by itself."""
    yield from _ONE_BY_ONE


def usual(names: list[str]) -> Iterator[Transform]:
    """The same without what is seldom done."""
    yield from _ONE_BY_ONE
    for axis, name in _axes(names):
        yield from ((f"{words} along {name}", _at(f, axis)) for words, f in (*_ALONG, *_ORDER))
        yield from ((words.format(name), _at(f, axis)) for words, f in _ENDS)
    if len(names) > 1:
        yield from _MATRIX


def at_once() -> Iterator[Transform]:
    """What may be done over all numbers of an array together."""
    yield from ((f"{words}, over all numbers at once", _at(f, None)) for words, f in _ALONG)


def out_of_shape(names: list[str]) -> Iterator[Transform]:
    """Everything that may be done to an array and changes the shape."""
    for axis, name in _axes(names):
        yield from ((words.format(name), _at(f, axis)) for words, f in _GONE)
    yield "added up to one number", lambda a: np.asarray(a.sum())
    yield "averaged to one number", lambda a: np.asarray(a.mean())
    yield "in one long row", np.ravel


def of_batch() -> Iterator[Transform]:
    """What may be done along the first batch axis; without one, nothing is."""
    for words, f in (*_ORDER, *_EVERYWHERE):
        yield f"{words} along the batch", _at(f, 0)


def _axes(names: list[str]) -> Iterator[tuple[int, str]]:
    """The axes that are always there, counted from the end."""
    own = [name for name in names if not name.startswith("batch")]
    yield from ((at - len(own), own[at]) for at in reversed(range(len(own))))


def _at(change: Callable[[Array, int], Array], axis: int | None) -> Change:
    return lambda a: change(a, axis)  # type: ignore[arg-type]


def _normal(a: Array, axis: int | None, ddof: int, eps: float) -> Array:
    spread = np.sqrt(_variance(a, axis, ddof) + eps)
    normal: Array = (a - a.mean(axis=axis, keepdims=True)) / spread
    return normal


def _cleared(a: Array, axis: int, index: int) -> Array:
    cleared = a.copy()
    np.moveaxis(cleared, axis, 0)[index] = 0
    return cleared
