"""The six figures of the course: one dataset, one module each, for pages, reports and notebooks.

Importing this package takes NumPy and nothing else; widgets bring anywidget when first named.
"""

from typing import TYPE_CHECKING, Any

from grader.figures.content import NAMES
from grader.figures.embed import figure_html, page_assets
from grader.figures.example import WorkedExample, worked_example
from grader.figures.fallback import fallback_html

if TYPE_CHECKING:
    from grader.figures.widgets import (
        Cloud,
        Heatmap,
        Projection,
        Saturation,
        Scores,
        Walkthrough,
    )

__all__ = [
    "NAMES",
    "Cloud",
    "Heatmap",
    "Projection",
    "Saturation",
    "Scores",
    "Walkthrough",
    "WorkedExample",
    "fallback_html",
    "figure_html",
    "page_assets",
    "worked_example",
]


def __getattr__(name: str) -> Any:
    """A widget, on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from grader.figures import widgets

    return getattr(widgets, name)
