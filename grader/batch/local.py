"""The run: candidates in, results in the store, wherever they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..intake import Candidate, Wanted
from ..intake.places import told_by_cells
from ..machinery import MachineryError
from ..record import SubmissionResult
from ..submission import Place, Submission
from .store import Key, Store


class Judging(Protocol):
    """What judges submissions: processes of this machine, or a cluster."""

    @property
    def room(self) -> int:
        """How many submissions may be under way at present."""
        ...

    @property
    def accelerated(self) -> bool:
        """Whether there is an accelerator now, for what needs one."""
        ...

    def submit(self, submission: Submission) -> Future[SubmissionResult]:
        """Begin to judge one; the future may hold a `MachineryError`."""
        ...

    def close(self) -> None:
        """End whatever it is doing."""
        ...


@dataclass(frozen=True)
class Entry:
    """One student's place in the run: whose result it is, and under which key it is kept."""

    id: str
    path: str
    notes: tuple[str, ...]
    key: Key
    places: Mapping[str, Sequence[Place]] = field(default_factory=dict)
    """Where the lines of its modules came from, if it is a notebook."""

    def named(self, result: SubmissionResult) -> SubmissionResult:
        """A stored result with the student's name, and with what there is to say of the files."""
        return replace(result, id=self.id, path=self.path, notes=self.notes)


@dataclass
class Run:
    """A run over many candidates.

    Attributes:
        store: where results are, and go.
        judges: what computes them.
        modules: names of the modules to read.
        suite: digest of everything that judges.
        seed: of the epoch.
        tell: hears of every entry as its result is there, and whether an earlier run had it.
        titles: the stages' titles, by which messages on a notebook name its cells.
        entries: all candidates in their order, as far as they have been read.
        failed: entries for which the machinery failed every time, and how; they are not stored.
    """

    store: Store
    judges: Judging
    modules: Wanted
    suite: str
    seed: str
    tell: Callable[[Entry, SubmissionResult, bool], None] = lambda *_: None
    titles: Mapping[str, str] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    _judged: set[Key] = field(default_factory=set)
    _waiting: dict[Key, list[Entry]] = field(default_factory=dict)

    def over(self, candidates: Sequence[Candidate]) -> None:
        """Judge what is not in the store yet, or lacks what can be judged now; equal work once."""
        try:
            self._over(candidates)
        except BaseException:
            self.judges.close()
            raise

    def results(self) -> Iterator[SubmissionResult]:
        """All results, each read from the store when it is asked for."""
        for entry in self.entries:
            if entry.id not in self.failed:
                result = entry.named(self.store.get(entry.key))
                yield told_by_cells(result, entry.places, self.titles)

    def _over(self, candidates: Sequence[Candidate]) -> None:
        running: dict[Future[SubmissionResult], Key] = {}
        for candidate in candidates:
            entry, submission = self._entry(candidate)
            if self._is_new(entry):
                running[self.judges.submit(submission)] = entry.key
            while len(running) > self.judges.room:
                self._collect(running)
        while running:
            self._collect(running)

    def _entry(self, candidate: Candidate) -> tuple[Entry, Submission]:
        submission, notes = candidate.read(self.modules)
        key = Key(submission.digest, self.suite, self.seed)
        entry = Entry(candidate.id, candidate.path, notes, key, submission.places)
        self.entries.append(entry)
        return entry, submission

    def _is_new(self, entry: Entry) -> bool:
        """Whether an entry's work is to be judged; if not, its result is there or on its way."""
        if entry.key in self._waiting:
            self._waiting[entry.key].append(entry)
            return False
        if entry.key in self._judged or self.store.has(entry.key, self.judges.accelerated):
            result = entry.named(self.store.get(entry.key))
            self.tell(entry, result, entry.key not in self._judged)
            return False
        self._waiting[entry.key] = [entry]
        return True

    def _collect(self, running: dict[Future[SubmissionResult], Key]) -> None:
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            key = running.pop(future)
            entries = self._waiting.pop(key)
            try:
                result = future.result()
            except MachineryError as error:
                self.failed |= {entry.id: str(error) for entry in entries}
                continue
            self.store.put(key, result)
            self._judged.add(key)
            for entry in entries:
                self.tell(entry, entry.named(result), False)
