"""A stage's bank once it has been run: kept in files that git ignores. Losing them loses nothing.

Running all known mistakes of a stage takes up to two seconds, and reading what they did a tenth of
that. What is kept counts only as long as everything that makes it is the same.
"""

from __future__ import annotations

import hashlib
import platform
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError

from .. import digest
from ..course import Course, Stage
from .bank import StageBank, load_bank, read_bank, save

FOLDER = ".banks"


def known(course: Course, stage: Stage) -> StageBank:
    """A stage's bank as it was kept; else it is run, and kept for the next time."""
    if not (course.root / f"tests/mistakes/{stage.name}.py").is_file():
        return load_bank(course, stage)
    folder, made_by = course.root / FOLDER, _maker(course, stage)
    try:
        if (folder / f"{stage.name}.key").read_text(encoding="utf-8") == made_by:
            return read_bank(folder, stage)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError):
        pass  # there is none, or it is damaged
    bank = load_bank(course, stage)
    with suppress(OSError):  # where nothing can be written, it is run every time
        _keep(bank, folder, stage, made_by)
    return bank


def _keep(bank: StageBank, folder: Path, stage: Stage, made_by: str) -> None:
    """Write whole files and put them in place, the key last, so that nobody reads half of it."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        save(bank, Path(fresh), stage)
        (Path(fresh) / f"{stage.name}.key").write_text(made_by, encoding="utf-8")
        (folder / f"{stage.name}.key").unlink(missing_ok=True)
        for suffix in ("json", "safetensors", "key"):
            (Path(fresh) / f"{stage.name}.{suffix}").replace(folder / f"{stage.name}.{suffix}")


def _maker(course: Course, stage: Stage) -> str:
    """A digest of all that decides what the mistakes do."""
    total = hashlib.sha256(digest.of_suites(course).encode())
    ours = sorted(Path(__file__).parents[1].rglob("*.py"))
    for file in [course.root / f"tests/mistakes/{stage.name}.py", *ours]:
        total.update(hashlib.sha256(file.read_bytes()).digest())
    versions = (torch.__version__, np.__version__, platform.python_version(), platform.machine())
    total.update(" ".join(versions).encode())
    return total.hexdigest()
