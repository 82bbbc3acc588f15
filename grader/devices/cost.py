"""A submission's cost beside the reference's, without a clock: the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from ..subject import Subject

Prepare: TypeAlias = Callable[[Subject], Callable[[], object]]
"""Makes a call ready, modules built and loaded; only the call that it returns is counted."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: what was counted, in words for a learner.
        yours: the submission's count.
        reference: the reference's count.
    """

    what: str
    yours: int
    reference: int

    @property
    def times(self) -> float:
        """How many times the reference's count; infinite where the reference needs none."""
        if self.reference:
            return self.yours / self.reference
        return float("inf") if self.yours else 1.0


ROWS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "operations": ("cost", "operations"),
        "bytes allocated": ("cost", "bytes"),
        "copies between device and host": ("stand-in", "copies"),
        "tensors made on the host": ("stand-in", "host_tensors"),
    }
)
"""What is counted, to the bench that counts it and where in the bench's report it stands."""


def rows(yours: Subject, reference: Subject, prepare: Prepare) -> tuple[Row, ...]:
    """The table for one call.

    Args:
        yours: the submission.
        reference: the reference, made by the same means.
        prepare: makes the call ready on either of them.

    Raises:
        Exception: whatever the submission raises, on the CPU or on the stand-in accelerator.
    """
    own, other = counts(yours, prepare), counts(reference, prepare)
    return tuple(Row(what, own[what], other[what]) for what in ROWS)


def counts(subject: Subject, prepare: Prepare) -> dict[str, int]:
    """What one call costs, by the names in `ROWS`."""
    reports = {}
    for bench in {bench for bench, _ in ROWS.values()}:
        call = prepare(subject)
        with subject.on(bench) as seen:
            call()
        reports[bench] = dict(seen)
    return {what: _number(reports[bench][key]) for what, (bench, key) in ROWS.items()}


def _number(value: int | list[object]) -> int:
    return value if isinstance(value, int) else len(value)
