"""One stage in a notebook: what stands below its test cell, as HTML without a script.

The same piece stands in a learner's notebook, in the one that nbgrader keeps, and on the feedback
page. It goes through `redacted` like every report, and reads well where its style is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ..course import Course
from ..figures import figure_html, page_assets
from ..record import StageResult, Status, SubmissionResult
from .html import section
from .pages import render
from .redacted import for_student
from .words import points, told, verdict


def stage_html(
    result: SubmissionResult, course: Course, stage: str, notes: Sequence[str] = ()
) -> str:
    """One stage of a submission, as a piece of HTML.

    Args:
        result: the submission.
        course: gives the stage's title and number.
        stage: its name.
        notes: what there is to say of how the submission came in.
    """
    found = next(s for s in for_student(result).stages if s.stage == stage)
    return render(
        "cell.html", section=section(found, course), standing=standing, chain=None, notes=notes
    )


def chain_html(result: SubmissionResult, course: Course) -> str:
    """Where all stages stand, and whether they work one after the other."""
    result = for_student(result)
    sections = [section(stage, course) for stage in result.stages]
    return render(
        "cell.html",
        sections=sections,
        section=None,
        standing=standing,
        chain=result.chain,
        notes=(),
    )


def stage_text(result: SubmissionResult, course: Course, stage: str) -> str:
    """The same in plain text: verdict, points, the sentence, the first failed check."""
    found = next(s for s in for_student(result).stages if s.stage == stage)
    told_ = section(found, course)
    head = f"{told_.title}: {verdict(found.status)}, {standing(found)}"
    rest = [d.message for d in found.diagnosis] or [found.message]
    checks = [f"{check.title}\n{told(check)}" for check in told_.failures[:1]]
    return "\n\n".join(part for part in [head, *rest, *checks] if part)


def standing(stage: StageResult) -> str:
    """Points gained, and what was not judged: hidden checks, in a notebook of a learner's.

    >>> standing(StageResult("scores", Status.NOT_STARTED, 10))
    '0 of 10 points'
    """
    judged = [check for check in stage.checks if check.status is not Status.NOT_JUDGED]
    public = sum(check.max_points for check in stage.checks)
    if stage.checks and public < stage.max_points:
        gained = f"{points(stage.points)} of {points(sum(c.max_points for c in judged))}"
        rest = points(stage.max_points - public)
        return f"{gained} public points; {rest} more are judged when it is handed in"
    gained = f"{points(stage.points)} of {points(stage.max_judged)} points"
    unjudged = stage.max_points - stage.max_judged
    return f"{gained}; {points(unjudged)} not judged here" if unjudged else gained


def figure_frame(name: str) -> str:
    """A figure in a frame of its own, so that its style and script stay there."""
    css, script = page_assets()
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>Figure</title><style>{css}</style>{figure_html(name)}<script>{script}</script>"
    )
    frame = Markup(
        '<iframe title="{}" srcdoc="{}" loading="lazy" sandbox="allow-scripts" '
        'style="width: 100%; height: 34rem; border: 0"></iframe>'
    )
    return str(frame.format(f"Figure: {name}", page))
