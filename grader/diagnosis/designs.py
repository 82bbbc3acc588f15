"""What every answer to a stage is asked: the calls and experiments that tell mistakes apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from ..subject import Subject
from ..suite import expect
from ..suite.axes import named_shape
from ..suite.probe import Array, Probe

Fact: TypeAlias = "str | int | float | bool | None"


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
            got = getattr(subject, probe.function.name)(*probe.tensors(torch.float64))
        except error:
            return right
        return {"it raises": "nothing", "it returns": expect.kind_of(got)}

    right = {"it raises": error.__name__, "it returns": "nothing"}
    return Experiment(probe.function.name, f"{probe.note}, {_shapes(probe)}", facts, right)


def _shapes(probe: Probe) -> str:
    axes = probe.function.axes
    arrays = {name: np.shape(probe.arguments[name]) for name in axes}
    return " and ".join(f"{name} {named_shape(arrays[name], axes[name])}" for name in axes)


def shares_nothing(probe: Probe) -> Experiment:
    """The experiment that no result of a probe's call shares its memory with an argument."""

    def facts(subject: Subject) -> Mapping[str, Fact]:
        args = probe.tensors(torch.float64)
        named = zip(args, probe.arguments, strict=True)
        given = {memory(arg): name for arg, name in named if isinstance(arg, Tensor)}
        got = getattr(subject, probe.function.name)(*args)
        results = got if isinstance(got, tuple | list) else [got]
        shared = [given.get(memory(r)) for r in results if isinstance(r, Tensor)]
        return {"the result shares memory with": ", ".join(filter(None, shared)) or "nothing"}

    right = {"the result shares memory with": "nothing"}
    return Experiment(probe.function.name, probe.note, facts, right)


def memory(value: Tensor) -> int | None:
    """Where a tensor's numbers lie; a sparse one's lie in no one place."""
    try:
        return value.untyped_storage().data_ptr()
    except RuntimeError:
        return None


@dataclass(frozen=True)
class Step:
    """One step of a formula.

    Attributes:
        name: what its result is called in a sentence.
        axes: its axes, `"... query key"`.
        inputs: names of arguments and of steps before it.
        compute: makes it of them.
    """

    name: str
    axes: str
    inputs: tuple[str, ...]
    compute: Callable[..., Array]


@dataclass(frozen=True)
class Diagnostics:
    """What every answer to a stage is asked, in this order.

    Attributes:
        designs: the calls and experiments.
        as_function: makes of a subject one whose functions the probes can call.
        steps: the formula of a function in steps, for those that have several.
    """

    designs: tuple[Diagnostic, ...]
    as_function: Callable[[Subject], Subject] = lambda subject: subject
    steps: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions and classes that they are about, in order."""
        return tuple(dict.fromkeys(function_of(design) for design in self.designs))

    @cached_property
    def chosen(self) -> Mapping[str, tuple[Probe, Probe]]:
        """For each function that is called, a plain probe and a spacious one."""
        return {f: (plain(own), spacious(own)) for f, own in by_function(self.designs).items()}


def function_of(design: Diagnostic) -> str:
    """The function or class that a diagnostic is about."""
    return design.function if isinstance(design, Experiment) else design.function.name


def is_call(number: int | None, designs: Sequence[Diagnostic]) -> bool:
    """Whether this diagnostic, if it is one, is a plain call."""
    return number is not None and isinstance(designs[number], Probe)


def by_function(designs: Sequence[Diagnostic]) -> dict[str, list[Probe]]:
    """The probes of each function."""
    found: dict[str, list[Probe]] = {}
    for design in designs:
        if isinstance(design, Probe):
            found.setdefault(design.function.name, []).append(design)
    return found


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
