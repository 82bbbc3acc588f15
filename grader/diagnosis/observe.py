"""Observing an answer: its numbers, errors, gradients, dtypes, and what it did to its arguments.

Everything goes through a `Subject`, so an answer is observed in the same way in this process and in
a confined one, and a known mistake in the same way as a submission.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from ..machinery import MachineryError
from ..subject import Subject
from ..subject.errors import SubmissionDied, SubmissionTimeout
from ..suite import expect
from ..suite.axes import names, place
from ..suite.excerpt import worst
from ..suite.probe import Array, Probe
from ..suite.verdict import told
from .cells import CALL, RAISED, ROUNDING, Cell, Observation, Place, numbers

Fact: TypeAlias = "str | int | float | bool | None"
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Experiment:
    """A diagnostic that is no plain call: a refusal, a module, a bench.

    Attributes:
        function: the function or class that it is about.
        note: what is done, in a few words that a learner may read.
        facts: does it, and says what was seen, by name.
        right: what must be seen, by name.
    """

    function: str
    note: str
    facts: Callable[[Subject], Mapping[str, Fact]]
    right: Mapping[str, Fact]


Diagnostic: TypeAlias = "Probe | Experiment"


def refuses(probe: Probe, error: type[Exception]) -> Experiment:
    """The experiment that a probe's call must be refused with a certain exception."""

    def facts(subject: Subject) -> Mapping[str, Fact]:
        try:
            getattr(subject, probe.function.name)(*probe.tensors(torch.float64))
        except error:
            return {"it raises": error.__name__}
        return {"it raises": "nothing"}

    return Experiment(probe.function.name, probe.note, facts, {"it raises": error.__name__})


@dataclass(frozen=True)
class Diagnostics:
    """What every answer to a stage is asked, in this order.

    Attributes:
        designs: the calls and experiments.
        as_function: makes of a subject one whose functions the probes can call.
    """

    designs: tuple[Diagnostic, ...]
    as_function: Callable[[Subject], Subject] = lambda subject: subject

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions and classes that they are about, in order."""
        return tuple(dict.fromkeys(function_of(design) for design in self.designs))


def observe(subject: Subject, diagnostics: Diagnostics, seconds: float = math.inf) -> Observation:
    """Everything that is wrong about an answer, as far as the diagnostics can see it.

    Args:
        subject: the answer.
        diagnostics: calls and experiments, the same for every answer that is to be compared.
        seconds: the limit for all of it, where the subject keeps one.
    """
    found: dict[Place, Cell] = {}
    with _quietly():
        subject.begin(seconds)
        plain_subject = diagnostics.as_function(subject)
        for number, design in enumerate(diagnostics.designs):
            if isinstance(design, Experiment):
                seen = _experiment(subject, design)
            else:
                seen = _call(plain_subject, design)
            look = f"{CALL} {number}"
            found.update({Place(function_of(design), look, what): cell for what, cell in seen})
        for name, own in _by_function(diagnostics.designs).items():
            _about_function(plain_subject, name, own, found)
    return found


def function_of(design: Diagnostic) -> str:
    """The function or class that a diagnostic is about."""
    return design.function if isinstance(design, Experiment) else design.function.name


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep what an answer prints or warns of to itself: it was heard once, in the suite."""
    nowhere = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        warnings.simplefilter("ignore")
        yield


Aspects: TypeAlias = "Iterator[tuple[str, Cell]]"
Look: TypeAlias = Callable[[Subject, Probe], Aspects]
Choose: TypeAlias = Callable[[Sequence[Probe]], Probe]


def _experiment(subject: Subject, experiment: Experiment) -> Aspects:
    try:
        seen = experiment.facts(subject)
    except _STOPS:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an answer may raise anything
        yield RAISED, _raised(error)
        return
    for name, right in experiment.right.items():
        if seen.get(name) != right:
            yield name, Cell("fact", str(seen.get(name)), note=f"{name}: {seen.get(name)}")


_STOPS = (SubmissionTimeout, SubmissionDied, MachineryError)
"""After these nothing more can be asked of an answer."""


@dataclass(frozen=True)
class _Outcome:
    """What came of one call."""

    given: list[Any]
    results: list[Any] | None = None
    error: BaseException | None = None


@dataclass(frozen=True)
class _Single:
    """What was returned where several results were due."""

    value: Any


def _outcome(subject: Subject, probe: Probe, args: list[Any]) -> _Outcome:
    try:
        got = getattr(subject, probe.function.name)(*args)
    except _STOPS:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an answer may raise anything
        return _Outcome(args, error=error)
    return _Outcome(args, [got] if len(probe.function.results) == 1 else _unpacked(got, probe))


def _unpacked(got: Any, probe: Probe) -> list[Any]:
    wanted = len(probe.function.results)
    fits = isinstance(got, tuple | list) and len(got) == wanted
    return list(got) if fits else [_Single(got)] * wanted


def _raised(error: BaseException) -> Cell:
    kind = getattr(error, "kind", type(error).__name__)
    try:
        return Cell("raised", f"{kind}: {error}", note=told(error))
    except Exception:  # noqa: BLE001 - an answer's own exception may fail at telling its message
        return Cell("raised", kind, note=f"{kind}, whose message cannot be read.")


def _call(subject: Subject, probe: Probe) -> Aspects:
    yield from _wrong(probe, _outcome(subject, probe, probe.tensors(torch.float64)))


def _wrong(probe: Probe, outcome: _Outcome) -> Aspects:
    """The results of a call that are not right, by name."""
    dtype = torch.float64
    if outcome.error is not None:
        yield RAISED, _raised(outcome.error)
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
        mine = _array(got)
    except (RuntimeError, TypeError):
        return Cell("fact", "is a tensor without numbers in it")
    if mine.shape == right.shape:
        with np.errstate(invalid="ignore"):
            if ((np.abs(mine - right) <= bound) | (mine == right)).all():
                return None
    return numbers(mine, right)


def _single(got: Any) -> Cell:
    if isinstance(got, Tensor):
        return Cell("numbers", "one tensor for several results", _array(got))
    return Cell("fact", f"returned {expect.kind_of(got)} where several tensors are due")


def _array(value: Tensor) -> Array:
    array: Array = value.detach().cpu().double().numpy().copy()
    return array


def _by_function(diagnostics: Sequence[Diagnostic]) -> dict[str, list[Probe]]:
    found: dict[str, list[Probe]] = {}
    for design in diagnostics:
        if isinstance(design, Probe):
            found.setdefault(design.function.name, []).append(design)
    return found


def _about_function(
    subject: Subject, name: str, probes: list[Probe], found: dict[Place, Cell]
) -> None:
    """What one plain call is enough for, and what does not depend on the numbers."""
    probe = plain(probes)
    for look, (choose, seen) in _LOOKS.items():
        cells = seen(subject, choose(probes))
        found.update({Place(name, look, what): cell for what, cell in cells})
    for dtype in DTYPES:
        look = f"dtype {_short(dtype)}"
        found.update({Place(name, look, w): cell for w, cell in _dtype(subject, probe, dtype)})
    if Place(name, "repeat", "numbers") in found:  # numbers that come by chance tell nothing
        for where in [w for w, c in found.items() if w.function == name and c.kind == "numbers"]:
            del found[where]


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def plain(probes: Sequence[Probe]) -> Probe:
    """An ordinary small probe: finite, no special purpose, no batch, and as small as there is."""
    return min(probes, key=lambda probe: (_odd(probe), _axes(probe), _size(probe)))


def spacious(probes: Sequence[Probe]) -> Probe:
    """An ordinary probe with as many axes as there are."""
    return min(probes, key=lambda probe: (_odd(probe), -_axes(probe), _size(probe)))


def _odd(probe: Probe) -> tuple[bool, bool]:
    """Whether a probe is special in its numbers or sizes, or says that it is."""
    arrays = [array for _, array in _arrays(probe)]
    finite = all(bool(np.isfinite(array).all()) for array in arrays)
    tiny = any(size < 2 for array in arrays for size in array.shape)
    return not finite or tiny, bool(probe.note)


def _axes(probe: Probe) -> int:
    return max(array.ndim for _, array in _arrays(probe))


def _size(probe: Probe) -> int:
    return sum(array.size for _, array in _arrays(probe))


def _arrays(probe: Probe) -> list[tuple[str, Array]]:
    return [(n, a) for n, a in probe.arguments.items() if isinstance(a, np.ndarray)]


def _arguments(subject: Subject, probe: Probe) -> Aspects:
    """Which arguments the call changed, and which share their memory with a result."""
    args, before = probe.tensors(torch.float64), probe.tensors(torch.float64)
    outcome = _outcome(subject, probe, args)
    rows = [
        (name, now, then)
        for name, now, then in zip(probe.arguments, args, before, strict=True)
        if isinstance(now, Tensor) and isinstance(then, Tensor)
    ]
    changed = [row for row in rows if not torch.equal(row[1], row[2])]
    if changed:
        names_ = ", ".join(name for name, _, _ in changed)
        yield "changed", Cell("fact", names_, note=_change(probe, *changed[0]))
        yield "after", Cell("numbers", array=_array(changed[0][1]), detail=True)
    memory = {_memory(r) for r in outcome.results or [] if isinstance(r, Tensor)} - {None}
    shared = [name for name, now, _ in rows if _memory(now) in memory]
    if shared:
        yield "shared", Cell("fact", ", ".join(shared), detail=bool(changed))


def _memory(value: Tensor) -> int | None:
    """Where a tensor's numbers lie; a sparse one's lie in no one place."""
    try:
        return value.untyped_storage().data_ptr()
    except RuntimeError:
        return None


def _change(probe: Probe, name: str, now: Tensor, then: Tensor) -> str:
    after, before = _array(now), _array(then)
    if after.shape != before.shape:
        return f"{name} had the shape {before.shape} and now has {after.shape}."
    at = worst(after, before)
    where = place(at, names(before.shape, probe.function.axes[name]))
    return f"{name} at {where} was {before[at]:.4g}; after the call it is {after[at]:.4g}."


def _dtype(subject: Subject, probe: Probe, dtype: torch.dtype) -> Aspects:
    """Whether results have the dtype of the arguments."""
    outcome = _outcome(subject, probe, probe.tensors(dtype))
    if outcome.error is not None:
        yield RAISED, _raised(outcome.error)
    for got, name in zip(outcome.results or [], probe.function.results, strict=False):
        if isinstance(got, Tensor) and got.dtype != dtype:
            yield name, Cell("fact", f"{_short(dtype)} came back as {_short(got.dtype)}")


def _gradients(subject: Subject, probe: Probe) -> Aspects:
    """The gradients of one direction of the results, compared with the oracle's."""
    args = probe.tensors(torch.float64, grad=True)
    outcome = _outcome(subject, probe, args)
    if outcome.error is not None:
        yield RAISED, _raised(outcome.error)
        return
    results = [r for r in outcome.results or [] if isinstance(r, Tensor) and r.requires_grad]
    try:
        if results:
            total = [(r * torch.from_numpy(_direction(r))).sum() for r in results]
            torch.stack(total).sum().backward()  # type: ignore[no-untyped-call]
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an answer's graph may raise anything
        yield RAISED, _raised(error)
        return
    for name, arg in zip(probe.arguments, args, strict=True):
        if isinstance(arg, Tensor):
            yield from _gradient(name, arg.grad, expect.oracle_gradients(probe)[name])


def _gradient(name: str, got: Tensor | None, right: Array) -> Aspects:
    if got is None:
        yield name, Cell("fact", "none")
        return
    mine, bound = _array(got), 1e-6 * (1 + float(np.abs(right).max()))
    with np.errstate(invalid="ignore"):
        if mine.shape != right.shape or not (np.abs(mine - right) <= bound).all():
            yield name, numbers(mine, right, slight=ROUNDING)


def _direction(result: Tensor) -> Array:
    """The weights that `expect.gradients` gives the entries of a result."""
    weights: Array = np.cos(1.0 + np.arange(result.numel())).reshape(result.shape)
    return weights


def _views(subject: Subject, probe: Probe) -> Aspects:
    """The same call with arguments whose memory is laid out in another order."""
    args = [
        _backwards(arg) if isinstance(arg, Tensor) else arg for arg in probe.tensors(torch.float64)
    ]
    yield from _wrong(probe, _outcome(subject, probe, args))


def _backwards(value: Tensor) -> Tensor:
    """The same tensor with its axes in reverse order in memory."""
    axes = tuple(reversed(range(value.ndim)))
    return value.permute(axes).contiguous().permute(axes)


def _repeat(subject: Subject, probe: Probe) -> Aspects:
    first, second = (_outcome(subject, probe, probe.tensors(torch.float64)) for _ in range(2))
    for a, b in zip(first.results or [], second.results or [], strict=False):
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            try:
                x, y = _array(a), _array(b)
            except (RuntimeError, TypeError):
                return
            if x.shape != y.shape or not np.array_equal(x, y, equal_nan=True):
                yield "numbers", Cell("fact", "two calls gave different numbers")
                return


_LOOKS: Mapping[str, tuple[Choose, Look]] = MappingProxyType(
    {
        "arguments": (plain, _arguments),
        "gradient": (plain, _gradients),
        "views": (spacious, _views),
        "repeat": (spacious, _repeat),
    }
)
"""What is looked at with one call, besides dtypes, and which probe is taken for it."""
