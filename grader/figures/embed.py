"""Figures as HTML: for the site's pages, for reports and for any page that stands alone."""

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files

from grader.figures.content import results, state
from grader.figures.fallback import fallback_html


def figure_html(
    name: str,
    *,
    mine: Mapping[str, object] | None = None,
    diagnosis: str | Mapping[str, str] | None = None,
) -> str:
    """One figure: its numbers as JSON for the script, and tables for readers without it.

    Args:
        name: one of `grader.figures.NAMES`.
        mine: the learner's own results by quantity, each a tensor, array or nested list, or the
            text of the error that computing it raised. projection: Q; scores: S; cloud: raw and
            scaled, (10 steps, 240 pairs); saturation: raw and scaled, (10 steps, 4);
            walkthrough: Q, K, V, S, Z, A, O, Y; heatmap: A, O.
        diagnosis: a sentence that names the mistake, shown beside the learner's numbers; or one for
            each quantity, shown where that quantity differs.

    Raises:
        ValueError: there is no figure of that name.
    """
    facts = {**state(name), "address": name == "walkthrough"}
    if mine:
        facts |= {"mine": results(dict(mine)), "diagnosis": diagnosis}
    data = json.dumps(facts, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    data = data.replace("<", "\\u003c")  # no text of a learner's may end the script element
    return (
        f'<figure class="figure" data-figure="{escape(name)}">'
        f'<script type="application/json">{data}</script>{fallback_html(name)}</figure>'
    )


def page_assets() -> tuple[str, str]:
    """The style sheet and the script that figures need, as text to put inside a page."""
    static = files(__package__).joinpath("static")
    css, script = (static.joinpath(f"figures.{kind}") for kind in ("css", "js"))
    return css.read_text(encoding="utf-8"), script.read_text(encoding="utf-8")
