"""One submission for Gradescope: `python -m grader.release.gradescope RECORD RESULTS`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from .. import course as courses
from .. import record as records
from ..reports.gradescope import gradescope_results

SORRY = (
    "The grader failed before it came to a verdict. That says nothing about your work. "
    "Please tell your instructor; it can be graded again from Gradescope."
)


def results(record: Path, root: Path) -> dict[str, Any]:
    """What Gradescope reads; where there is no record, a sentence and no points."""
    if record.is_file():
        for result in records.read(record).submissions:
            return gradescope_results(result, courses.load(root))
    return {"score": 0, "output": SORRY, "output_format": "text", "visibility": "visible"}


def main() -> None:
    """Write the results."""
    record, out = map(Path, sys.argv[1:])
    found = results(record, Path.cwd())
    out.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
