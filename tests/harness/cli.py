"""Running the grader's commands as a person would: in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def grader(
    *args: str | Path, cwd: Path = ROOT, timeout: float = 120, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -m grader …` in a folder and give back its exit code and what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "grader", *map(str, args)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
