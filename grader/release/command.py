"""The command `release`: the students' bundle, or what a place where courses live wants of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..course import Course, CourseError
from .bundle import bundle
from .places import PLACES
from .writing import write, zipped


def release(course: Course, place: str | None, out: Path) -> Iterator[Path]:
    """Write what students get; what was written is given as it is.

    Args:
        course: the course.
        place: a name in `places.PLACES`; none for the plain bundle.
        out: the folder for it.

    Raises:
        CourseError: there is no such place, or the course's files do not fit together.
    """
    if place is None:
        yield from write(bundle(course), out, course.name)
        return
    if place not in PLACES:
        raise CourseError(f"Nothing is known of {place!r}. Known: {', '.join(PLACES)}.")
    wanted, name = PLACES[place], f"{course.name}-{place}"
    files = wanted.files(course)
    if wanted.top:
        yield from write(files, out, name)
    else:
        yield zipped(files, out / name, wanted.executable)
