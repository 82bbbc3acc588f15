"""The clock, the queue and the event log of an accelerator that does not exist.

A real accelerator works asynchronously: a call returns when its work is queued, and the queue is
worked through in order while the host goes on. Two numbers hold all of that: where the host is in
time, and when the queue will be empty. Seconds here are virtual: nothing waits, and every run of
the same program gives the same readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .counting import SHOWN

START = 1000.0
"""What the virtual clock shows at first, in seconds."""

QUEUEING = 2e-6
"""How long the host needs to queue one operation, in seconds."""

KERNEL = 5e-6
"""How long the device works on one operation, in seconds."""

COPY = 5e-3
"""How long a copy between host and device takes, in seconds: long, so that it shows."""

READING = 1e-8
"""How long it takes to read the clock, in seconds."""

MARKS = frozenset({"reading", "mark"})
COPIES = frozenset({"to host", "to device", "to python"})


@dataclass(frozen=True)
class Event:
    """One entry of the log.

    Attributes:
        kind: launch, wait, reading, mark, pass, to host, to device, to python, from python.
        what: the operation or function.
        line: the submission's line that was running, where known.
        at: the host's time, in seconds.
        behind: how far the queue reached beyond the host at that moment, in seconds.
    """

    kind: str
    what: str
    line: int | None
    at: float
    behind: float


class VirtualDevice:
    """One stand-in accelerator.

    Args:
        pace: how long the device works on each forward pass of a module that is timed, in
            seconds, beyond its single operations; the last one holds for all passes after it.
    """

    def __init__(self, pace: Sequence[float] = (1e-3,)) -> None:
        self._pace = tuple(pace)
        self.host = START
        self.queue = START
        self.idle = 0.0
        self.log: list[Event] = []
        self.passes = 0
        self.launches: Counter[str] = Counter()

    def launch(self, what: str, line: int | None = None) -> None:
        """Queue one operation."""
        self.host += QUEUEING
        self._work(KERNEL)
        self.launches[what] += 1
        self._note("launch", what, line)

    def finish_pass(self, line: int | None = None) -> None:
        """Queue what a whole forward pass costs, and count it."""
        self._work(self._pace[min(self.passes, len(self._pace) - 1)])
        self.passes += 1
        self._note("pass", f"pass {self.passes}", line)

    def copy(self, kind: str, what: str, line: int | None = None) -> None:
        """Copy between host and device; the host waits for the queue, and then for the copy."""
        self._note(kind, what, line)
        self._work(COPY)
        self._rest(self.queue)

    def wait(self, what: str, line: int | None = None, until: float | None = None) -> None:
        """Let the host wait until the queue is empty, or until a moment of it has passed."""
        self._rest(self.queue if until is None else until)
        self._note("wait", what, line)

    def mark(self, what: str, line: int | None = None) -> float:
        """Queue an event; the moment at which the device will reach it, in seconds."""
        self._work(0.0)
        self._note("mark", what, line)
        return self.queue

    def read(self, what: str, line: int | None = None, busy: bool = False) -> float:
        """Read a clock of the host, in seconds: the wall's, or that of its own `busy` time."""
        self._note("reading", what, line)
        self.host += READING
        return self.host - self.idle if busy else self.host

    def sleep(self, seconds: float) -> None:
        """Let the host do nothing for a while; the queue is worked through meanwhile."""
        self._rest(self.host + seconds)

    def _rest(self, until: float) -> None:
        """Let the host do nothing until a moment, if it is still to come."""
        self.idle += max(0.0, until - self.host)
        self.host = max(self.host, until)

    def _work(self, seconds: float) -> None:
        self.queue = max(self.queue, self.host) + seconds

    def _note(self, kind: str, what: str, line: int | None) -> None:
        behind = max(0.0, self.queue - self.host)
        self.log.append(Event(kind, what, line, self.host - START, behind))

    def report(self) -> dict[str, Any]:
        """The log in short.

        Keys: `launches`, `passes`, `waits`, `readings`, `marks` as numbers; `early` (readings of
        the clock while the queue was not empty), `copies` (all) and `timed_copies` (those within
        a timed span) as events; `spans` (passes within each timed span: between two neighbouring
        readings or marks, where there is at least one), `benchmark` (whether it was
        `torch.utils.benchmark` that read the clock), `clocks` (the names of the clocks that were
        read) and `log`, the beginning of the log.
        """
        kinds = Counter(event.kind for event in self.log)
        early = [e for e in self.log if e.kind == "reading" and e.behind > 0]
        timed = [span for span in self._spans() if any(e.kind == "pass" for e in span)]
        copies = [e for e in self.log if e.kind in COPIES]
        inside = [e for span in timed for e in span if e.kind in COPIES]
        return {
            "launches": kinds["launch"],
            "passes": self.passes,
            "waits": kinds["wait"],
            "readings": kinds["reading"],
            "marks": kinds["mark"],
            "early": _shown(early),
            "copies": _shown(copies),
            "timed_copies": _shown(inside),
            "spans": [sum(e.kind == "pass" for e in span) for span in timed][:1000],
            "benchmark": any(e.what.startswith("torch.utils.benchmark") for e in self.log),
            "clocks": sorted({e.what.rpartition(".")[2] for e in self.log if e.kind == "reading"}),
            "log": _shown(self.log),
        }

    def _spans(self) -> Iterator[list[Event]]:
        marks = [at for at, event in enumerate(self.log) if event.kind in MARKS]
        for start, end in pairwise(marks):
            yield self.log[start + 1 : end]


def _shown(events: Sequence[Event]) -> list[dict[str, Any]]:
    return [dict(vars(event)) for event in events[:SHOWN]]
