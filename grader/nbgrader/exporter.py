"""How nbgrader reads submissions and writes feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter, NotebookExporter

from . import submitted

Converted = tuple[Any, dict[str, Any]]


class TolerantExporter(NotebookExporter):  # type: ignore[misc]
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
        nb = submitted.opened(Path(filename))
        converted: Converted = self.from_notebook_node(nb, resources=resources, **kw)
        return converted


__all__ = ["Exporter", "TolerantExporter"]
