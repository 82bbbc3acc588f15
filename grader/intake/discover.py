"""Which submissions a path stands for: one, a folder of them, or a platform's bulk download."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from ..reports.redacted import printable
from ..submission import IntakeError, Submission
from .archive import InZip, is_zip, opened
from .disk import OnDisk
from .items import Item, Kind, is_clutter
from .modules import WORK, Reading, Wanted, holds_modules, is_notebook
from .names import recognised


@dataclass(frozen=True)
class Candidate:
    """A submission that was found, and is not read yet.

    Attributes:
        id: its student's, as far as names tell; no two candidates have the same.
        path: where it lies.
        items: what was handed in, each with the name that its author gave it.
        notes: what there is to say of how it was found.
    """

    id: str
    path: str
    items: tuple[tuple[Item, str], ...]
    notes: tuple[str, ...] = ()

    def read(self, modules: Wanted) -> tuple[Submission, tuple[str, ...]]:
        """The submission as text, and what there is to say of how it came in."""
        reading = Reading(modules)
        for item, name in self.items:
            reading.add(item, name)
        notes = (*self.notes, *map(printable, reading.notes))
        return reading.submission(self.id, self.path), notes


def find(paths: Sequence[Path], modules: Wanted, keep: ExitStack) -> list[Candidate]:
    """The submissions under some paths, in the order of their names.

    Args:
        paths: what the instructor named.
        modules: names of the course's modules.
        keep: closes bulk downloads when all candidates have been read.

    Raises:
        IntakeError: a path is not there, or holds nothing that could be a submission.
    """
    found = [candidate for path in paths for candidate in _under(path, modules, keep)]
    return list(_told_apart(found))


def _under(path: Path, modules: Wanted, keep: ExitStack) -> Iterator[Candidate]:
    item = OnDisk(path, chosen=True)
    if item.kind is Kind.OTHER:
        raise IntakeError(f"{path} is not there. {_WANTED}")
    if isinstance(modules, Mapping) and is_notebook(item):
        yield _candidate(item)
        return
    if item.kind is Kind.FILE and not is_zip(item):
        raise IntakeError(f"{path} is no folder, no zip and no notebook. {_WANTED}")
    try:
        folder = keep.enter_context(closing(opened(item))) if is_zip(item) else item
        alone = holds_modules(folder, modules) or (is_zip(item) and _wraps(folder, modules))
        candidates = [_candidate(item)] if alone else list(_inside(folder, modules))
    except IntakeError as error:
        raise IntakeError(f"{path} cannot be read: {error}.") from None
    if not candidates:
        raise IntakeError(f"{path} holds no submission. {_WANTED}")
    yield from candidates


_WANTED = "Give a submission (a folder or a zip), a folder of submissions, or a bulk download."


def _wraps(folder: Item, modules: Wanted) -> bool:
    """Whether a zip holds nothing but one folder with modules: whoever zips a folder gets that."""
    items = [item for item in folder.children() if not is_clutter(item.name)]
    alone = len(items) == 1 and items[0].kind is Kind.FOLDER and not recognised(items[0].name)
    return alone and holds_modules(items[0], modules)


def _inside(folder: Item, modules: Wanted) -> Iterator[Candidate]:
    items = _unwrapped(folder, modules)
    flat: dict[str, list[tuple[Item, str]]] = {}
    for item in items:
        named = recognised(item.name)
        if named and item.kind is not Kind.FOLDER and named.file:
            flat.setdefault(named.student, []).append((item, named.file))
        elif item.kind is not Kind.FILE or item.name.lower().endswith(WORK):
            yield _candidate(item)
    for student, handed_in in flat.items():
        yield Candidate(_clean(student), _clean(folder.path), tuple(handed_in))


def _unwrapped(folder: Item, modules: Wanted) -> list[Item]:
    """A folder's items; those of the one folder in it, where a download or a zip added that."""
    items = [item for item in folder.children() if not is_clutter(item.name)]
    if len(items) != 1 or items[0].kind is not Kind.FOLDER or recognised(items[0].name):
        return items
    inner = [item for item in items[0].children() if not is_clutter(item.name)]
    if any(recognised(item.name) for item in inner):
        return inner
    added = isinstance(folder, InZip) and any(_is_submission(item, modules) for item in inner)
    return inner if added else items


def _is_submission(item: Item, modules: Wanted) -> bool:
    return is_zip(item) or (item.kind is Kind.FOLDER and holds_modules(item, modules))


def _candidate(item: Item) -> Candidate:
    named = recognised(item.name)
    ending = next((e for e in WORK if item.name.lower().endswith(e)), "")
    name = item.name if item.kind is Kind.FOLDER else item.name[: len(item.name) - len(ending)]
    id_ = named.student if named else name
    return Candidate(_clean(id_), _clean(item.path), ((item, item.name),))


def _clean(text: str) -> str:
    """Text that every format holds, and in which what looks the same is the same."""
    return unicodedata.normalize("NFC", printable(text))


def _told_apart(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Give a number to the second submission of a student, and say so on both."""
    total = Counter(candidate.id for candidate in candidates)
    taken = set(total)
    seen: Counter[str] = Counter()
    for candidate in candidates:
        id_ = candidate.id
        seen[id_] += 1
        if total[id_] == 1:
            yield candidate
            continue
        note = f"{total[id_]} submissions are by {id_}; this one is {Path(candidate.path).name}."
        own = id_ if seen[id_] == 1 else _free(id_, seen[id_], taken)
        yield replace(candidate, id=own, notes=(note, *candidate.notes))


def _free(id_: str, number: int, taken: set[str]) -> str:
    name = f"{id_} ({number})"
    while name in taken:
        name += "'"
    taken.add(name)
    return name
