"""What a stage's page in `docs/stages/` says of its task, for readers outside of the site."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .course import Course, CourseError


@dataclass(frozen=True)
class StagePage:
    """One stage's page, as far as a notebook or a report has use for it.

    Attributes:
        task: what to build, in plain Markdown, up to the figure.
        functions: the functions and classes that a submission must define.
        figure: the name of the page's figure; empty if it has none.
    """

    task: str
    functions: tuple[str, ...]
    figure: str


_BUILD = "\n## What to build\n"
_FUNCTION = re.compile(r"^`(\w+)\(.*\)`$", re.MULTILINE)
_FIGURE = re.compile(r"^```\{interactive\} *(\S+)", re.MULTILINE)


def read(course: Course, stage: str) -> StagePage:
    """Read `docs/stages/<stage>.md`.

    Raises:
        CourseError: the page is missing, or does not say what to build.
    """
    page = course.root / "docs" / "stages" / f"{stage}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    section = text.partition(_BUILD)[2].partition("\n## ")[0]
    functions = tuple(_FUNCTION.findall(section))
    if not functions:
        raise CourseError(f"{page} has no section 'What to build' that names a function.")
    figure = _FIGURE.search(text)
    told = text.partition("\n## See it\n")[0]
    return StagePage(_plain(told), functions, figure[1] if figure else "")


def functions(course: Course) -> dict[str, tuple[str, ...]]:
    """Each stage's functions, by its name, in the order of the course; none where no page is."""
    folder = course.root / "docs" / "stages"
    return {
        name: read(course, name).functions if (folder / f"{name}.md").is_file() else ()
        for name in course.names
    }


_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\A# .*\n"), ""),
    (re.compile(r"^```\{math\}\n(.*?)^```$", re.MULTILINE | re.DOTALL), r"$$\n\1$$"),
    (re.compile(r"^```\{.*?^```\n", re.MULTILINE | re.DOTALL), ""),
    (re.compile(r"\{doc\}`/(\w+)/(\w+)`"), r"The page “\2” of the site"),
    (re.compile(r"\{ref\}`([^<`]+?) *<[^`]*>`"), r"\1"),
    (re.compile(r"^(`\w+\(.*\)`)\n: +(.*(?:\n {2}.*)*)", re.MULTILINE), r"- \1: \2"),
    (re.compile(r"^In `exercises/\w+\.py`:$", re.MULTILINE), "In the cell below:"),
    (re.compile(r"^## ", re.MULTILINE), "### "),
)
"""From the site's Markdown to what notebooks show: no directives, no roles, no definition lists."""


def _plain(text: str) -> str:
    for pattern, instead in _PLAIN:
        text = pattern.sub(instead, text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
