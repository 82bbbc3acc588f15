"""Things that students hand in, made in a folder of a test."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from grader.intake import find
from grader.submission import Submission

MODULES = ("projection", "scores", "softmax")
SOFTMAX = "def row_softmax(scores): ...\n"

Found = dict[str, tuple[Submission, tuple[str, ...]]]


def found(*paths: Path) -> Found:
    """Everything that is found under some paths: id to submission and notes."""
    with ExitStack() as stack:
        candidates = find(paths, MODULES, stack)
        return {candidate.id: candidate.read(MODULES) for candidate in candidates}


def folder(place: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with some files."""
    place.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def zipped(place: Path, files: Mapping[str, str | bytes] | Iterable[tuple[object, bytes]]) -> Path:
    """A zip with some members, by name or by `ZipInfo`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    pairs = files.items() if isinstance(files, Mapping) else files
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pairs:
            archive.writestr(name, content)  # type: ignore[arg-type]  # a name or a ZipInfo
    return place
