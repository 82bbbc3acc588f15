"""One submission for Gradescope: `python -m grader.release.gradescope RECORD RESULTS`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .. import course as courses
from .. import record as records
from ..reports.gradescope import gradescope_results


def main() -> None:
    """Write the results; without a verdict, what stands there already is left as it is."""
    record, out = map(Path, sys.argv[1:])
    for result in records.read(record).submissions if record.is_file() else ():
        found = gradescope_results(result, courses.load(Path.cwd()))
        out.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
