"""One call of an answer, and what is wrong with what came of it."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from ..machinery import MachineryError
from ..subject import Subject
from ..subject.errors import SubmissionDied, SubmissionTimeout
from ..suite import expect
from ..suite.probe import Array, Probe
from ..suite.verdict import told
from .cells import RAISED, Cell, numbers

Aspects: TypeAlias = Iterator[tuple[str, Cell]]
"""What is wrong, by the name of the result or argument."""

OF_ALL = "where several tensors are due"
"""The end of a fact that is the same for all results of a call."""


STOPS = (SubmissionTimeout, SubmissionDied, MachineryError)
"""After these nothing more can be asked of an answer."""


@dataclass(frozen=True)
class Outcome:
    """What came of one call."""

    given: list[Any]
    results: list[Any] | None = None
    error: BaseException | None = None


@dataclass(frozen=True)
class _Single:
    """What was returned where several results were due."""

    value: Any


def outcome(subject: Subject, probe: Probe, args: list[Any]) -> Outcome:
    """Call a probe's function; what it raises is kept, unless it ends everything."""
    try:
        got = getattr(subject, probe.function.name)(*args)
    except STOPS:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an answer may raise anything
        return Outcome(args, error=error)
    return Outcome(args, [got] if len(probe.function.results) == 1 else _unpacked(got, probe))


def attempted(call: Callable[..., Any], *args: Any) -> Any | None:
    """What a call gives; None where it raises, unless that ends everything."""
    try:
        return call(*args)
    except STOPS:
        raise
    except (Exception, SystemExit):  # noqa: BLE001 - an answer may raise anything
        return None


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keep what an answer prints or warns of to itself: it was heard once, in the suite."""
    nowhere = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        warnings.simplefilter("ignore")
        yield


def _unpacked(got: Any, probe: Probe) -> list[Any]:
    wanted = len(probe.function.results)
    fits = isinstance(got, tuple | list) and len(got) == wanted
    return list(got) if fits else [_Single(got)] * wanted


def raised(error: BaseException) -> Cell:
    """The cell of an exception, with the line that raised it as its note."""
    kind = getattr(error, "kind", type(error).__name__)
    try:
        return Cell("raised", f"{kind}: {error}", note=told(error))
    except Exception:  # noqa: BLE001 - an answer's own exception may fail at telling its message
        return Cell("raised", kind, note=f"{kind}, whose message cannot be read.")


def wrong(probe: Probe, outcome: Outcome) -> Aspects:
    """The results of a call that are not right, by name."""
    dtype = torch.float64
    if outcome.error is not None:
        yield RAISED, raised(outcome.error)
        return
    expected, error = probe.expected(dtype), probe.error(dtype)
    rows = zip(outcome.results or [], expected, error, probe.function.results, strict=True)
    for got, right, units, name in rows:
        cell = _result(got, right, expect.SAFETY * expect.roundoff(dtype) * units + expect.FLOOR)
        if cell is not None:
            yield name, cell


def _result(got: Any, right: Array, bound: Array) -> Cell | None:
    if isinstance(got, _Single):
        return _single(got.value)
    if not isinstance(got, Tensor):
        return Cell("fact", f"returned {expect.kind_of(got)}")
    try:
        mine = array_of(got)
    except (RuntimeError, TypeError):
        return Cell("fact", "is a tensor without numbers in it")
    if mine.shape == right.shape:
        with np.errstate(invalid="ignore"):
            if ((np.abs(mine - right) <= bound) | (mine == right)).all():
                return None
    return numbers(mine, right)


def _single(got: Any) -> Cell:
    if isinstance(got, Tensor):
        return Cell("numbers", "one tensor for several results", array_of(got))
    return Cell("fact", f"returned {expect.kind_of(got)} {OF_ALL}")


def array_of(value: Tensor) -> Array:
    """A tensor's numbers, in float64."""
    array: Array = value.detach().cpu().double().numpy().copy()
    return array
