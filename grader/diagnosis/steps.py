"""A function's formula in steps, and what comes out if one of the steps goes wrong.

A stage says how its longer functions are composed (`STEPS` beside its probes). Then a wrong result
can be traced to the one step that, changed in one of the usual ways, gives exactly these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..suite.probe import Array, Function, Probe
from . import factors, transforms
from .asif import AsIf, Results, Told, holds
from .case import Seen
from .designs import Step

Values = Mapping[str, Array]


@dataclass(frozen=True)
class _Slip:
    """One step gone wrong: what completes "right with …", which step, and what it gives."""

    told: str
    at: int
    compute: Callable[[Values], Array]


def gone_wrong(function: Function, steps: Sequence[Step]) -> Iterator[AsIf]:
    """Every slip in one step that is tried, the plainest first."""
    formula = _Formula(next(iter(function.results)), steps)
    for slip in _slips(steps, function.axes):
        told = f"Your result would be right with {slip.told}."
        yield AsIf("general/step", told, partial(formula.results, slip=slip))


def scaled(function: Function, steps: Sequence[Step], calls: Sequence[Seen]) -> Told | None:
    """The step that would have to be so many times as large, for steps that only sums come after.

    Args:
        function: the function.
        steps: its formula.
        calls: those that must be explained.
    """
    formula = _Formula(next(iter(function.results)), steps)
    wrong = [call for call in calls if call.wrong]
    for at in reversed(range(len(steps) - 1)):
        each: list[float] = []
        for call in wrong:
            factor = _factor(call, formula, at)
            if factor is None:
                break
            each.append(factor)
        times = partial(formula.with_step, at=at)
        if len(each) == len(wrong) and not factors.contradicted(each, calls, times):
            return "general/step_scaled", factors.told(f"the {steps[at].name}", each, wrong)
    return None


def _factor(call: Seen, formula: _Formula, at: int) -> float | None:
    """By what factor a step must be larger, if the result goes straight with it."""
    ((name, got),) = call.results.items()
    one, two = (formula.with_step(call.probe, factor, at)[name] for factor in (1.0, 2.0))
    if got.shape != one.shape or not np.isfinite(got).all():
        return None
    slope = two - one
    if not (length := float((slope * slope).sum())) > 0:
        return None
    factor = 1 + float(((got - one) * slope).sum()) / length
    guess = AsIf("", "", partial(formula.with_step, factor=factor, at=at))
    return factor if holds(guess, call) else None


class _Formula:
    """A formula that keeps what it has computed rightly."""

    def __init__(self, result: str, steps: Sequence[Step]) -> None:
        self._result, self._steps = result, steps
        self._right: dict[int, dict[str, Array]] = {}

    def results(self, probe: Probe, slip: _Slip) -> Results:
        """What comes out of a probe with a slip."""
        if id(probe) not in self._right:
            given = {n: a for n, a in probe.arguments.items() if isinstance(a, np.ndarray)}
            self._right[id(probe)] = self._computed(given, 0)
        right = self._right[id(probe)]
        wrong = {**right, self._steps[slip.at].name: slip.compute(right)}
        return {self._result: self._computed(wrong, slip.at + 1)[self._steps[-1].name]}

    def with_step(self, probe: Probe, factor: float, at: int) -> Results:
        """What comes out of a probe if one step is so many times as large."""
        name = self._steps[at].name
        return self.results(probe, _Slip("", at, lambda found: factor * found[name]))

    def _computed(self, found: dict[str, Array], start: int) -> dict[str, Array]:
        for step in self._steps[start:]:
            found[step.name] = step.compute(*(found[name] for name in step.inputs))
        return found


def _slips(steps: Sequence[Step], arguments: Mapping[str, str]) -> Iterator[_Slip]:
    axes = {**arguments, **{step.name: step.axes for step in steps}}
    before = [[*arguments, *(s.name for s in steps[:at])] for at in range(len(steps))]
    like = [[n for n in before[at] if axes[n] == step.axes] for at, step in enumerate(steps)]
    for at, step in enumerate(steps):
        yield from _another(at, step, like[at])
        yield from _other_inputs(at, step, before[at], axes)
    for at, step in reversed([*enumerate(steps)]):  # less has to be computed after a later one
        yield from _joined(at, step, like[at])
        if at < len(steps) - 1:  # changes of the result itself are tried without steps, too
            yield from _through(at, step, step.name, "")
        for name in like[at]:
            yield from _through(at, step, name, f", in place of the {step.name}")


def _another(at: int, step: Step, names: Sequence[str]) -> Iterator[_Slip]:
    """Something else in place of a step, its own input among them: a step left out."""
    for name in reversed(names):
        yield _Slip(f"{name} in place of the {step.name}", at, partial(_taken, name=name))


def _taken(found: Values, name: str) -> Array:
    return found[name]


def _other_inputs(
    at: int, step: Step, names: Sequence[str], axes: Mapping[str, str]
) -> Iterator[_Slip]:
    """A step made of something else, or of the same in another order."""
    others = [
        (*step.inputs[:place], other, *step.inputs[place + 1 :])
        for place, name in enumerate(step.inputs)
        for other in names
        if other != name and axes[other] == axes[name]
    ]
    turned = [step.inputs[::-1]] if len(step.inputs) > 1 else []
    for inputs in (*others, *turned):
        told = f"the {step.name} made of {' and '.join(inputs)}"
        yield _Slip(told, at, partial(_made, step=step, inputs=inputs))


def _made(found: Values, step: Step, inputs: Sequence[str]) -> Array:
    return step.compute(*(found[name] for name in inputs))


def _joined(at: int, step: Step, names: Sequence[str]) -> Iterator[_Slip]:
    for name in names:
        for words, join in _JOINED:
            told = f"the {step.name} {words} {name}"
            yield _Slip(told, at, partial(_both, step=step, name=name, join=join))


def _both(found: Values, step: Step, name: str, join: Callable[[Array, Array], Array]) -> Array:
    return join(found[step.name], found[name])


_JOINED: tuple[tuple[str, Callable[[Array, Array], Array]], ...] = (
    ("plus", np.add),
    ("less", np.subtract),
    ("less half of", lambda a, b: a - b / 2),
    ("plus twice", lambda a, b: a + 2 * b),
    ("times", np.multiply),
)


def _through(at: int, step: Step, name: str, more: str) -> Iterator[_Slip]:
    """Something done to a step, or to another array of the same axes that takes its place."""
    own = [axis for axis in step.axes.split() if axis != "..."]
    for words, change in transforms.usual(own):
        yield _Slip(f"the {name} {words}{more}", at, partial(_changed, name=name, change=change))


def _changed(found: Values, name: str, change: transforms.Change) -> Array:
    return change(found[name])
