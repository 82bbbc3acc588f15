"""From a solution to the stub that a learner starts with.

What lies between `### BEGIN SOLUTION text` and `### END SOLUTION` gives way to one line,
`raise NotImplementedError("text")`. The marks are nbgrader's, so its own tools read them, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from .course import Course, CourseError

_REGION = re.compile(
    r"^(?P<indent>[ ]*)### BEGIN SOLUTION(?P<text>[^\n]*)\n.*?### END SOLUTION[^\n]*\n",
    re.MULTILINE | re.DOTALL,
)


def stub(solution: str) -> str:
    """The stub of a solution.

    Raises:
        ValueError: the marks are not in pairs, or there are none.
    """
    begun, ended = solution.count("### BEGIN SOLUTION"), solution.count("### END SOLUTION")
    text, replaced = _REGION.subn(_left_out, solution)
    if not begun == ended == replaced or replaced == 0:
        raise ValueError(f"{begun} BEGIN SOLUTION and {ended} END SOLUTION marks make no pairs")
    return text


def _left_out(region: re.Match[str]) -> str:
    task = region["text"].strip().replace('"', "'") or "write this"
    return f'{region["indent"]}raise NotImplementedError("{task}")\n'


def pristine(course: Course, stage: str) -> str:
    """A stage's stub as it is handed out, made from its solution.

    Raises:
        CourseError: the course has no solution for the stage, or its marks are broken.
    """
    file = course.root / "solutions" / f"{stage}.py"
    kept = course.root / "stubs" / f"{stage}.py"
    if not file.is_file() and kept.is_file():  # a bundle for students has stubs alone
        return kept.read_text(encoding="utf-8")
    try:
        return stub(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"There is no {file}, so a stub cannot be made from it.") from None
    except ValueError as error:
        raise CourseError(f"{file}: {error}.") from None


def renew(course: Course, stage: str) -> Path | None:
    """Write a stage's stub into exercises/. Other text that was there is kept beside it.

    Returns:
        Where the earlier text is kept, or None if there was none to keep.
    """
    return write_keeping(course.root / "exercises" / f"{stage}.py", pristine(course, stage))


def write_keeping(file: Path, fresh: str) -> Path | None:
    """Write a file that somebody may have worked on; other text that was there is kept beside it.

    Returns:
        Where the earlier text is kept, or None if there was none to keep.
    """
    kept = None
    if file.exists() and file.read_bytes() != fresh.encode():
        kept = _free_name(file)
        file.replace(kept)
    file.parent.mkdir(exist_ok=True)
    file.write_text(fresh, encoding="utf-8", newline="\n")
    return kept


def wanted(course: Course) -> dict[Path, str]:
    """The stubs in exercises/, each with the text that its solution gives."""
    folder = course.root / "exercises"
    return {folder / f"{name}.py": pristine(course, name) for name in course.names}


def outdated(wanted: Mapping[Path, str]) -> dict[Path, str]:
    """Those of some files that do not hold what they should, with what that is."""
    return {file: text for file, text in wanted.items() if not _holds(file, text)}


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


def _free_name(file: Path) -> Path:
    number = 1
    while (name := file.with_name(f"{file.name}.kept-{number}")).exists():
        number += 1
    return name
