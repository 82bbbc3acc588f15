"""``{interactive} NAME``: one of the course's figures on a page.

A figure brings its numbers as JSON and a static version for readers without JavaScript. Script and
styles are plain files beside the site's own, loaded on pages that have a figure and on no others.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

STYLE, SCRIPT = "figures.css", "figures.js"


class LiveFigure(nodes.raw):
    """The HTML of one figure. Its class marks the pages that need the script."""


class Interactive(SphinxDirective):
    """Put the named figure here."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Ask the figures' package for the HTML."""
        from grader.figures import figure_html  # here: other builders need no figures

        for file in _sources():
            self.env.note_dependency(file)
        try:
            return [LiveFigure("", figure_html(self.arguments[0]), format="html")]
        except ValueError as error:
            raise self.error(str(error)) from error


def _sources() -> list[Path]:
    from grader import figures

    folder = Path(figures.__path__[0])
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]


def write_assets(app: Sphinx) -> None:
    """Write the script and the styles among the site's static files."""
    if app.builder.format != "html":
        return
    from grader.figures import page_assets

    folder = Path(app.outdir) / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip((STYLE, SCRIPT), page_assets(), strict=True):
        (folder / name).write_text(text, encoding="utf-8")


def load_assets(
    app: Sphinx,
    _page: str,
    _template: str,
    _context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Load them on this page if it has a figure."""
    if doctree is not None and any(doctree.findall(LiveFigure)):
        app.add_css_file(STYLE)
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive and its assets."""
    app.add_directive("interactive", Interactive)
    app.connect("builder-inited", write_assets)
    app.connect("html-page-context", load_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
