"""A comparison as one HTML file, with the stage's figure showing both."""

from __future__ import annotations

from markupsafe import Markup

from ..course import Course
from ..figures import figure_html, page_assets
from ..record import Status
from ..reports import costs
from ..reports.pages import policy, render
from .comparison import Comparison
from .terminal import hidden, pace


def page(course: Course, found: Comparison) -> str:
    """The page; it needs no network."""
    css, script = page_assets()
    figure = figure_html(found.figure, mine=found.mine) if found.figure and found.mine else ""
    yours, reference = found.yours or {}, found.reference or {}
    names = dict.fromkeys((*reference, *yours))
    return render(
        "compare.html",
        course=course,
        found=found,
        passed=found.result.status is Status.PASSED,
        rows=[costs.cells(row) for row in found.cost],
        heads=costs.HEADS,
        title=costs.TITLE,
        pace=pace(found.pace) if found.pace else "",
        code=[(yours.get(name, ""), reference.get(name, "")) for name in names],
        hidden="" if found.reference else hidden(found),
        figure=Markup(figure),  # noqa: S704 - ours
        css=Markup(css),  # noqa: S704 - ours
        script=Markup(script),  # noqa: S704 - ours
        policy=policy(script),
    )
