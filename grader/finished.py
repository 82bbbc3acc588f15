"""The page of a finished course: what each stage taught, and the learner's own attention."""

from __future__ import annotations

from markupsafe import Markup

from . import stage_page
from .course import Course
from .figures import figure_html, page_assets
from .mine import own_numbers, pattern
from .own import alone
from .reports.pages import policy, render
from .submission import Submission

FILE = "finished.html"


def written(course: Course, submission: Submission) -> str:
    """Write the page beside the exercises.

    Returns:
        Where it is, as a path from the course's folder.

    Raises:
        OSError: the folder cannot be written to.
    """
    (course.root / FILE).write_text(page(course, submission), encoding="utf-8")
    return FILE


def page(course: Course, submission: Submission) -> str:
    """The page as one HTML file, which needs no network."""
    css, script = page_assets()
    figure = pattern(course)
    mine = own_numbers(course, submission, alone, chained=True).get(figure, {})
    shown = figure_html(figure, mine=mine) if figure else ""
    return render(
        "finished.html",
        course=course,
        lessons=[(stage.title, _lesson(course, stage.name)) for stage in course.stages],
        figure=Markup(shown),  # noqa: S704 - ours
        css=Markup(css),  # noqa: S704 - ours
        script=Markup(script),  # noqa: S704 - ours
        policy=policy(script),
    )


def _lesson(course: Course, stage: str) -> str:
    """What a stage taught: the first paragraph of its page, in Markdown; nothing if it has none."""
    if not (course.root / "docs" / "stages" / f"{stage}.md").is_file():
        return ""
    first = stage_page.read(course, stage).task.partition("\n\n")[0]
    return " ".join(first.split())
