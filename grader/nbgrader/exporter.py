"""How nbgrader reads submissions and writes feedback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter, NotebookExporter
from nbformat import NotebookNode
from traitlets import Unicode

from .. import course as courses
from . import feedback, submitted

Converted = tuple[Any, dict[str, Any]]


class TolerantExporter(NotebookExporter):
    """Reads whatever a student handed in; a damaged notebook loses cells, not the submission."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> Converted:
        """Convert a submitted notebook, or one that was put in order already."""
        if not getattr(self.parent, "_sanitizing", False):
            in_order: Converted = super().from_filename(filename, resources, **kw)
            return in_order
        resources = resources if resources is not None else {}
        resources["metadata"] = {"name": Path(filename).stem, "path": str(Path(filename).parent)}
        convert: Callable[..., Converted] = self.from_notebook_node
        return convert(submitted.opened(Path(filename)), resources=resources, **kw)


class FeedbackExporter(Exporter):
    """Writes the page of one student, from the record of the submission and the gradebook."""

    root = Unicode(help="The folder of course.toml.").tag(config=True)
    records = Unicode(help="The folder where records are kept.").tag(config=True)
    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> Converted:
        """The page, from an autograded notebook."""
        convert: Callable[..., Converted] = super().from_notebook_node
        nb, told = convert(nb, resources, **kw)
        file = feedback.record_file(Path(self.records), told["nbgrader"]["student"])
        course = courses.load(Path(self.root))
        return feedback.page(nb, file, told["nbgrader"], course), told
