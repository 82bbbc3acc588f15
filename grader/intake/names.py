r"""How learning platforms name what they let an instructor download.

>>> recognised("doejane_LATE_4711_815_softmax-2.py")
Named(system='Canvas', student='4711', file='softmax.py')
>>> recognised("Jane Doe_4711_assignsubmission_file_")
Named(system='Moodle', student='4711', file='')
>>> recognised("submission_4711")
Named(system='Gradescope', student='submission_4711', file='')
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Naming:
    """One platform's pattern.

    Attributes:
        system: the platform.
        pattern: for a whole name; `student` is the id, and `file` the name that the student gave,
            where the download puts the files of all students into one folder.
        source: where the pattern comes from.
    """

    system: str
    pattern: re.Pattern[str]
    source: str


NAMINGS: Sequence[Naming] = (
    Naming(
        "Moodle",
        re.compile(r".+_(?P<student>\d+)_assignsubmission_file_?(?P<file>(?<=_).+)?"),
        "mod/assign/classes/downloader.php in moodle/moodle: full name, participant number, "
        "plugin; as a folder, or in front of each file's name",
    ),
    Naming(
        "Canvas",
        re.compile(r"\w+?_(?:LATE_)?(?P<student>\d+)_\d+_(?P<file>.+)"),
        "lib/content_zipper.rb in instructure/canvas-lms: name, LATE, user's number, attachment's "
        "number, file's name; all files in one folder",
    ),
    Naming(
        "Canvas",
        re.compile(r"(?:LATE_)?(?P<student>anon_[^_]+)_\d+_(?P<file>.+)"),
        "the same file, for an assignment that is marked anonymously",
    ),
    Naming(
        "Gradescope",
        re.compile(r"(?P<student>submission_\d+)"),
        "the folders of Gradescope's “Export Submissions”; submission_metadata.yml beside them "
        "says who is who",
    ),
)

_VERSION = re.compile(r"-\d+(?=\.[a-z]+$)")
"""Canvas adds it when a file is handed in again: softmax-2.py."""


@dataclass(frozen=True)
class Named:
    """What a name in a bulk download says."""

    system: str
    student: str
    file: str
    """The name that the student gave; empty for a folder of the student's."""


def recognised(name: str) -> Named | None:
    """What a name says, if it is one of a bulk download."""
    for naming in NAMINGS:
        found = naming.pattern.fullmatch(name)
        if found:
            file = found.groupdict().get("file") or ""
            file = _VERSION.sub("", file) if naming.system == "Canvas" else file
            return Named(naming.system, found["student"], file)
    return None
