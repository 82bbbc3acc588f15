"""Two answers' results on the same calls: how far they are apart, in ulps, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..diagnosis.designs import Diagnostics
from ..subject import Subject
from ..suite.axes import named_shape, names, place
from ..suite.probe import Probe
from ..suite.verdict import told


@dataclass(frozen=True)
class Gap:
    """The largest difference between two answers to one function, over all calls.

    Attributes:
        function: its name.
        calls: how many calls were compared.
        ulps: the difference, in float32 numbers that lie between.
        where: the result, its entry and the call's shapes, in words.
        yours: the learner's number there.
        reference: the reference's.
        trouble: why results could not be compared, if they could not.
    """

    function: str
    calls: int
    ulps: int = 0
    where: str = ""
    yours: float = 0.0
    reference: float = 0.0
    trouble: str = ""


def gaps(yours: Subject, reference: Subject, diagnostics: Diagnostics) -> Iterator[Gap]:
    """The largest difference of each function, on the probes of the diagnosis in float32."""
    mine, theirs = diagnostics.as_function(yours), diagnostics.as_function(reference)
    by_function: dict[str, list[Probe]] = {}
    for design in diagnostics.designs:
        if isinstance(design, Probe):
            by_function.setdefault(design.function.name, []).append(design)
    for name, probes in by_function.items():
        yield max((_gap(mine, theirs, name, probe, len(probes)) for probe in probes), key=_rank)


def _rank(gap: Gap) -> tuple[bool, int]:
    return bool(gap.trouble), gap.ulps


def _gap(yours: Subject, reference: Subject, name: str, probe: Probe, calls: int) -> Gap:
    try:
        mine = _results(getattr(yours, name)(*probe.tensors(torch.float32)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a submission may raise anything
        return Gap(name, calls, trouble=told(error))
    theirs = _results(getattr(reference, name)(*probe.tensors(torch.float32)))
    found = [
        _of_result(name, calls, probe, result, axes, mine, theirs, number)
        for number, (result, axes) in enumerate(probe.function.results.items())
    ]
    return max(found, key=_rank)


def _results(got: Any) -> Sequence[Any]:
    return got if isinstance(got, tuple | list) else [got]


def _of_result(
    name: str,
    calls: int,
    probe: Probe,
    result: str,
    axes: str,
    mine: Sequence[Any],
    theirs: Sequence[Any],
    number: int,
) -> Gap:
    right = _array(theirs[number])
    own = mine[number] if number < len(mine) else None
    if not isinstance(own, Tensor) or tuple(own.shape) != right.shape:
        return Gap(name, calls, trouble=f"{result}: expected {named_shape(right.shape, axes)}")
    got = _array(own)
    apart = ulps(got, right)
    at = tuple(int(i) for i in np.unravel_index(int(apart.argmax()), apart.shape))
    shapes = ", ".join(
        f"{arg} {named_shape(value.shape, probe.function.axes[arg])}"
        for arg, value in probe.arguments.items()
        if not isinstance(value, int)
    )
    where = f"{result} at {place(at, names(right.shape, axes))}, for {shapes}"
    if np.isnan(got[at]) or np.isnan(right[at]):  # no distance to any number
        told = f"In {where}:\n  yours is {got[at]:.9g}, the reference's {right[at]:.9g}"
        return Gap(name, calls, trouble=told)
    return Gap(name, calls, int(apart[at]), where, float(got[at]), float(right[at]))


def _array(value: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = value.detach().cpu().float().numpy()
    return found


def ulps(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.int64]:
    """How many float32 numbers lie from each entry of one array to that of the other.

    Two nan are equal, and nan lies beyond all numbers.

    >>> ulps(np.float32([1.0]), np.float32([1.0000001])).tolist()
    [1]
    """
    apart: NDArray[np.int64] = np.abs(_counted(a) - _counted(b))
    return np.where(np.isnan(a) & np.isnan(b), 0, apart)


def _counted(values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Each number's place in the row of all float32 numbers; the two zeros share theirs."""
    bits = values.copy().view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
