"""What is said where no known mistake fits: why nothing ran, what was measured, what differs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import torch

from ..record import Diagnosis
from ..subject import Subject
from ..suite.axes import names
from ..suite.excerpt import worst
from ..suite.probe import Probe
from ..suite.verdict import NOT_WRITTEN
from . import asif, bounds, counterexample, factors, influence, properties, steps, where
from .calls import OF_ALL
from .case import Case, Seen, number
from .cells import ROUNDING, Cell, Place
from .designs import Diagnostic, Step, plain, spacious
from .guesses import guesses, joined
from .spelling import suggested
from .translate import translated

MATCH = "property"

_BLOCKED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "ForbiddenOperation": (
            "general/forbidden",
            "Build it from elementary operations: that is what the stage is for.",
        ),
        "MissingName": ("general/missing", "The stage's page lists the names that must be there."),
        "ImportError": ("general/import", ""),
        "ModuleNotFoundError": ("general/import", ""),
    }
)
"""Exceptions that keep a function from being judged at all: an id, and what to do."""


def blocked(wrong: Mapping[Place, Cell], source: str) -> Iterator[Diagnosis]:
    """Why a function's numbers were never seen, if that is so.

    Args:
        wrong: what is wrong about the function.
        source: the text of its module.
    """
    raised = [cell for cell in wrong.values() if cell.kind == "raised"]
    if len(raised) == len(wrong) and all(cell.note.startswith(NOT_WRITTEN) for cell in raised):
        yield Diagnosis("general/not_written", raised[0].note, MATCH)
        return
    for cell in raised:
        if _kind(cell) in _BLOCKED:
            id_, advice = _BLOCKED[_kind(cell)]
            yield Diagnosis(id_, _joined(cell.note, _meant(cell, {}, source), advice), MATCH)
            return


def _kind(cell: Cell) -> str:
    return cell.text.partition(":")[0]


def error(
    raised: Mapping[Place, Cell], diagnostics: Sequence[Diagnostic], source: str
) -> Diagnosis:
    """The first exception: the call, the learner's line, and what PyTorch meant."""
    place, cell = next(iter(raised.items()))
    design = diagnostics[place.number] if place.number is not None else None
    if design is None:
        return Diagnosis("general/error", _joined(cell.note, _meant(cell, {}, source)), MATCH)
    if not isinstance(design, Probe):
        told = f"{place.function}, {design.note}:\n{cell.note}"
        wanted = "; ".join(f"{name} {right}" for name, right in design.right.items())
        wanted = f"Right would be: {wanted}." if len(design.right) < 3 else ""
        meant = "" if "\n    raise " in cell.note else _meant(cell, {}, source)
        return Diagnosis("general/error", _joined(told, wanted, meant), MATCH)
    call = design.call(torch.float64) + (f"  ({design.note})" if design.note else "")
    sizes = {**design.sizes, **_batches(design)}
    meant = _meant(cell, sizes, source)
    return Diagnosis("general/error", _joined(f"{call}\n{cell.note}", meant), MATCH)


def _meant(cell: Cell, sizes: Mapping[str, int], source: str) -> str:
    """What an exception means, and the name that was probably meant."""
    if _elsewhere(cell, source):
        return _ELSEWHERE
    return " ".join(filter(None, [translated(cell.note, sizes), suggested(cell.text, source)]))


def _elsewhere(cell: Cell, source: str) -> bool:
    """Whether the line that raised stands in another module, which is right."""
    *_, where, line = ["", "", *cell.note.splitlines()]
    return where.startswith("  ") and line.strip() not in source and bool(source)


_ELSEWHERE = (
    "That line belongs to another stage, and is right. Look at what your own lines hand to it: the "
    "right things, in the right order?"
)


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _batches(probe: Probe) -> dict[str, int]:
    """The batch axes of a probe's first argument that has some."""
    for name, value in probe.arguments.items():
        if not isinstance(value, int):
            named = zip(names(value.shape, probe.function.axes[name]), value.shape, strict=True)
            found = {axis: size for axis, size in named if axis.startswith("batch")}
            if found:
                return found
    return {}


def measured(
    subject: Subject, cases: Sequence[Case], calls: Sequence[Seen], whole: asif.Told | None
) -> Iterator[Diagnosis]:
    """The most telling properties of wrong numbers, and a small example of them.

    Args:
        subject: the answer, whose functions the probes can call.
        cases: its wrong results.
        calls: all calls of the function that gave numbers, right or wrong.
        whole: what accounts for all of the wrong ones, if anything does.
    """
    found = _found(subject, cases, whole)
    if whole is None and (told := where.by_size(calls)):
        found = [("general/by_size", told), *found][:2]
    statements = [told for _, told in found] or [_differing(cases[0])]
    head = " ".join(filter(None, [*statements, where.only(cases, calls)]))
    wrong, results = dict.fromkeys(c.name for c in cases), cases[0].probe.function.results
    if len(wrong) < len(results):
        head = f"What is wrong is {' and '.join(wrong)}. {head}"
    id_ = found[0][0] if found else "general/numbers"
    yield Diagnosis(id_, _joined(head, _example(subject, cases)), MATCH)


def measured_rest(subject: Subject, cases: Sequence[Case]) -> Iterator[Diagnosis]:
    """The same of what is left where a known mistake explains most."""
    found = _found(subject, cases, properties.whole(cases))
    head = " ".join(told for _, told in found) or _differing(cases[0])
    id_ = found[0][0] if found else "general/numbers"
    told = f"In what is left: {head[0].lower()}{head[1:]}"
    yield Diagnosis(id_, _joined(told, _example(subject, cases)), MATCH)


def rest(left: Mapping[Place, Cell], explained: Collection[Cell]) -> str:
    """What is left where a known mistake explains most, if that is plainly of the same kind.

    Args:
        left: what is wrong and not explained.
        explained: what is.
    """
    arrays = [cell.array for cell in left.values() if cell.array is not None]
    if len(arrays) < len(left):
        return ""
    if not any(np.isfinite(array).any() for array in arrays):
        return "In the others your numbers are inf or nan."
    digits = {cell.precision for cell in (*left.values(), *explained) if cell.array is not None}
    if len(digits) == 1 and "" not in digits and all(_rounding(c) for c in left.values()):
        return f"In the others there are no more digits than those of {digits.pop()}."
    return ""


def _rounding(cell: Cell) -> bool:
    """Whether wrong numbers are off by no more than the rounding of a smaller dtype."""
    return cell.array is not None and cell.gap <= ROUNDING * np.abs(cell.array).max(initial=0)


def elsewhere(whole: asif.Told) -> Diagnosis:
    """What accounts for the numbers of those calls that raise nothing."""
    id_, told = whole
    return Diagnosis(id_, f"Where nothing is raised: {told[0].lower()}{told[1:]}", MATCH)


def _found(
    subject: Subject, cases: Sequence[Case], whole: asif.Told | None
) -> list[tuple[str, str]]:
    """At most two statements, no two of a kind."""
    found = [whole, *_besides(whole[0], cases)] if whole else _partly(subject, cases)
    firsts: dict[str, str] = {}
    for id_, told in found:
        firsts.setdefault(id_, told)
        if len(firsts) == 2:  # each more would be measured for nothing
            break
    return list(firsts.items())


def whole_of(
    cases: Sequence[Case], calls: Sequence[Seen], formula: Sequence[Step]
) -> asif.Told | None:
    """What accounts for all of the numbers that are wrong, if anything does."""
    return (
        bounds.clipped(calls)
        or bounds.pruned(calls)
        or properties.whole(cases)
        or _explained(calls, formula)
    )


def _explained(calls: Sequence[Seen], formula: Sequence[Step]) -> asif.Told | None:
    """What the numbers of every call are right for."""
    calls = asif.ordinary(calls)
    if not calls:
        return None
    function = calls[0].probe.function
    with np.errstate(all="ignore"):
        return (
            asif.first(guesses(calls[0]), calls)
            or bounds.cut(calls)
            or (steps.scaled(function, formula, calls) if formula else None)
            or factors.scaled(calls)
            or (asif.first(steps.gone_wrong(function, formula), calls) if formula else None)
            or asif.first(joined(calls[0]), calls)
        )


def _besides(id_: str, cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """The shape, and where numbers are not finite, which explain nothing but have to be said."""
    kept = {"general/not_finite", "" if id_ in _SHAPES else "general/shape"}
    return (row for row in properties.partial(cases) if row[0] in kept)


_SHAPES = {"general/axes_swapped", "general/reshaped"}
"""They tell the shape themselves."""


def _partly(subject: Subject, cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    """What holds of wrong numbers without accounting for all of them."""
    own = [case for case in cases if np.ptp(case.expected) > 0]
    ordinary = [case.probe for case in own if not case.probe.note]
    if ordinary and all(case.fits and np.isfinite(case.got).all() for case in own):
        yield from influence.statements(subject, (plain(ordinary), spacious(ordinary)))
    yield from properties.partial(cases)


def _differing(case: Case) -> str:
    head = f"{case.name}: the numbers differ from the right ones."
    at = worst(case.got, case.expected)
    shown = f"{number(float(case.got[at]))} and should be {number(float(case.expected[at]))}"
    return f"{head} At {case.where(at)} it is {shown}."


def _example(subject: Subject, cases: Sequence[Case]) -> str:
    for case in cases[:2]:
        small = counterexample.shrunk(subject, case.probe)
        if small is not None:
            return counterexample.shown(*small)
    return ""


def facts(wrong: Mapping[Place, Cell], values_right: bool) -> Iterator[Diagnosis]:
    """What is wrong besides the numbers: a sentence for each kind of fact, once.

    Args:
        wrong: what is wrong.
        values_right: whether the numbers of all calls are right.
    """
    told: dict[str, dict[str, str]] = {}
    for place, cell in wrong.items():
        id_, text = _fact(place, cell, values_right)
        if id_ and (id_ not in told or id_ == "general/returned"):
            told.setdefault(id_, {}).setdefault(place.aspect, text)
    if "general/returned" in told:  # what is no tensor has no gradient either
        told.pop("general/no_gradient", None)
    for id_, texts in told.items():
        lines = [*dict.fromkeys(texts.values())][:_FACTS_AT_MOST]
        yield Diagnosis(id_, "\n".join(lines), MATCH)


_FACTS_AT_MOST = 4


def _fact(place: Place, cell: Cell, values_right: bool) -> tuple[str, str]:
    if cell.kind == "fact" and place.number is not None:
        of_all = cell.text.endswith(OF_ALL)
        what = cell.note or (cell.text if of_all else f"{place.aspect} {cell.text}")
        return "general/returned", f"{place.function}: {what}."
    if place.look == "gradient" and values_right and cell.array is not None:
        return "general/gradient", _GRADIENT.format(what=place.aspect, gap=number(cell.gap))
    key = place.aspect if place.look == "arguments" else place.look.partition(" ")[0]
    if cell.kind != "fact" or key not in _FACTS:
        return "", ""
    id_, template = _FACTS[key]
    known = {"function": place.function, "what": place.aspect, "text": cell.text}
    return id_, template.format(**known, note=cell.note)


_GRADIENT = (
    "The numbers are right, but the gradient for {what} is not: it is off by up to {gap}. Is a "
    "part of the formula cut off by `.detach()` or `no_grad`?"
)

_FACTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "changed": (
            "general/changed",
            "{function} changed its argument {text}, which belongs to the caller. {note} Make a "
            "new tensor instead of writing into the one that was given.",
        ),
        "shared": (
            "general/shared",
            "What {function} returns shares its memory with its argument {text}: whoever changes "
            "one changes the other. Return a new tensor.",
        ),
        "dtype": (
            "general/dtype",
            "The result must have the dtype of the arguments; {text}. Which line names a dtype, or "
            "makes a tensor without naming one?",
        ),
        "gradient": (
            "general/no_gradient",
            "No gradient reaches {what}. Look for `.detach()`, `.data`, `.numpy()`, "
            "`torch.tensor(…)` and `no_grad`, or for an argument that is never used.",
        ),
        "repeat": (
            "general/repeat",
            "{function} gave different numbers for the same arguments. Something in it is random, "
            "or remembers the last call.",
        ),
    }
)
"""What was looked at, or what became of an argument, to an id and a sentence."""
