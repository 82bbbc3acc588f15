"""A submission's cost beside the reference's, without a clock: the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from ..record import Cost
from ..subject import Subject, SubmissionDied, SubmissionTimeout

Prepare: TypeAlias = Callable[[Subject], Callable[[], object]]
"""Makes a call ready, modules built and loaded; only the call that it returns is counted."""
Counts: TypeAlias = Mapping[str, int]
"""What was counted, by the names in `ROWS`."""

ROWS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "operations": ("cost", "operations"),
        "bytes allocated": ("cost", "bytes"),
        "copies between device and host": ("stand-in", "copies"),
        "tensors made on the host": ("stand-in", "host_tensors"),
    }
)
"""What is counted, to the bench that counts it and where in the bench's report it stands."""


def table(yours: Counts, reference: Counts) -> tuple[Cost, ...]:
    """The rows of what could be counted on both sides."""
    both = (what for what in ROWS if what in yours and what in reference)
    return tuple(Cost(what, yours[what], reference[what]) for what in both)


def counts(subject: Subject, prepare: Prepare) -> Counts:
    """What one call costs; nothing of a bench on which the call raised.

    Raises:
        SubmissionDied: the submission's process did not outlive it.
        SubmissionTimeout: it took too long.
    """
    benches = dict.fromkeys(bench for bench, _ in ROWS.values())
    reports = {bench: _report(subject, prepare, bench) for bench in benches}
    return {
        what: _number(reports[bench][key])
        for what, (bench, key) in ROWS.items()
        if key in reports[bench]
    }


def _report(subject: Subject, prepare: Prepare, bench: str) -> Mapping[str, int | list[object]]:
    try:
        call = prepare(subject)
        with subject.on(bench) as seen:
            call()
    except (SubmissionDied, SubmissionTimeout):
        raise
    except Exception:  # noqa: BLE001 - the submission's; the checks that are about it will tell
        return {}
    return dict(seen)


def _number(value: int | list[object]) -> int:
    return value if isinstance(value, int) else len(value)
