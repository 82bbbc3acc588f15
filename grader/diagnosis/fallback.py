"""What is said where no known mistake fits: why nothing ran, what was measured, what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import torch

from ..record import Diagnosis
from ..subject import Subject
from ..suite.axes import names
from ..suite.excerpt import worst
from ..suite.probe import Probe
from . import counterexample, properties
from .case import Case, number
from .cells import Cell, Place
from .designs import Diagnostic
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


def blocked(wrong: Mapping[Place, Cell]) -> Iterator[Diagnosis]:
    """Why a function's numbers were never seen, if that is so."""
    raised = [cell for cell in wrong.values() if cell.kind == "raised"]
    if len(raised) == len(wrong) and all(_kind(cell) == "NotImplementedError" for cell in raised):
        yield Diagnosis("general/not_written", raised[0].note, MATCH)
        return
    for cell in raised:
        if _kind(cell) in _BLOCKED:
            id_, advice = _BLOCKED[_kind(cell)]
            told = "\n\n".join(filter(None, [cell.note, translated(cell.note, {}), advice]))
            yield Diagnosis(id_, told, MATCH)
            return


def _kind(cell: Cell) -> str:
    return cell.text.partition(":")[0]


def error(raised: Mapping[Place, Cell], diagnostics: Sequence[Diagnostic]) -> Diagnosis:
    """The first exception: the call, the learner's line, and what PyTorch meant."""
    place, cell = next(iter(raised.items()))
    design = diagnostics[place.number] if place.number is not None else None
    if not isinstance(design, Probe):
        return Diagnosis("general/error", _joined(cell.note, translated(cell.note, {})), MATCH)
    call = design.call(torch.float64) + (f"  ({design.note})" if design.note else "")
    sizes = {**design.sizes, **_batches(design)}
    meant = translated(cell.note, sizes)
    return Diagnosis("general/error", _joined(f"{call}\n{cell.note}", meant), MATCH)


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


def measured(subject: Subject, cases: Sequence[Case]) -> Iterator[Diagnosis]:
    """The most telling properties of wrong numbers, and a small example of them."""
    found = list(properties.found(cases))[:2]
    id_ = found[0][0] if found else "general/numbers"
    statements = [statement for _, statement in found]
    statements += filter(None, (only(cases) for only in _ONLY))
    example = _example(subject, cases)
    head = " ".join(statements) or _differing(cases[0])
    yield Diagnosis(id_, _joined(head, example), MATCH)


_ONLY = (properties.only_with_batches, properties.only_special)
"""Where an answer is wrong, if it is not wrong everywhere."""


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


def facts(wrong: Mapping[Place, Cell]) -> Iterator[Diagnosis]:
    """What is wrong besides the numbers: a sentence for each kind of fact, once."""
    told: set[str] = set()
    values_right = all(place.number is None for place in wrong)
    for place, cell in wrong.items():
        id_, text = _fact(place, cell, values_right)
        if id_ and id_ not in told:
            told.add(id_)
            yield Diagnosis(id_, text, MATCH)


def _fact(place: Place, cell: Cell, values_right: bool) -> tuple[str, str]:
    if cell.kind == "fact" and place.number is not None:
        what = cell.note or f"{place.aspect} {cell.text}"
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
