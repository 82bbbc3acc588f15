"""A Python that finds what some requirements bring, and nothing else that is installed here."""

import re
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

_BLOCK = """\
import sys

sys.modules.update(dict.fromkeys({missing!r}))
"""


def lacking(requirements: list[str], folder: Path) -> Path:
    """Make a folder for PYTHONPATH with which every other package's modules cannot be imported."""
    there = _brought(requirements)
    modules = packages_distributions()
    missing = sorted(
        module
        for module, owners in modules.items()
        if module.isidentifier() and not there & {_normal(owner) for owner in owners}
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(_BLOCK.format(missing=missing), encoding="utf-8")
    return folder


def _brought(requirements: list[str]) -> set[str]:
    """Names of the packages that pip would install for these lines."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        wanted = waiting.pop()
        extras = wanted.extras or {""}
        needed = wanted.marker is None or wanted.marker.evaluate()
        if needed and _normal(wanted.name) not in found:
            found.add(_normal(wanted.name))
            waiting += [
                line
                for line in map(Requirement, _requires(wanted.name))
                if line.marker is None or any(line.marker.evaluate({"extra": e}) for e in extras)
            ]
    return found


def _requires(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # for another system
        return []


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
