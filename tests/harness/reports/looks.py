"""Golden files: what a report looked like when a person last read it.

Run with GOLDEN=write in the environment to write them anew, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).with_name("golden")


def matches(name: str, text: str) -> None:
    """The text is that of the golden file."""
    file = FOLDER / name
    if os.environ.get("GOLDEN") == "write":
        file.write_text(text, encoding="utf-8", newline="")
    with file.open(encoding="utf-8", newline="") as golden:
        assert text == golden.read()
