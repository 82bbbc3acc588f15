"""What a worker may read: the interpreter, its libraries, and the harness's own worker code."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
"""The package `grader`."""

HARNESS = (PACKAGE / "__init__.py", PACKAGE / "subject", PACKAGE / "devices")
"""The parts of it that run beside a submission; suites, oracle and bank are not among them."""

SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


def interpreter() -> list[str]:
    """Folders and files without which Python does not start."""
    found = []
    for prefix in {sys.prefix, sys.base_prefix}:
        found += [Path(prefix, part) for part in ("bin", "lib", "lib64", "pyvenv.cfg")]
    found += [Path(sysconfig.get_path(kind)) for kind in ("stdlib", "purelib", "platlib")]
    return [str(path) for path in found if path.exists()]


def readable() -> list[str]:
    """What may be read, for Landlock: whole folders, or what is in them but not hidden."""
    found: list[Path] = []
    for root in [*interpreter(), *SYSTEM, *DEVICES]:
        if Path(root).exists():
            found += around(Path(root).resolve(), PACKAGE)
    return sorted({str(path) for path in (*found, *HARNESS)})


def listable() -> list[str]:
    """Folders of which only the names may be read, because the harness lies in them."""
    inside = [Path(root).resolve() for root in interpreter()]
    return sorted({str(p) for p in PACKAGE.parents if any(p.is_relative_to(r) for r in inside)})


def around(root: Path, hidden: Path) -> Iterator[Path]:
    """The fewest paths that cover everything under `root` except `hidden`."""
    if root == hidden:
        return
    if not hidden.is_relative_to(root):
        yield root
        return
    for child in root.iterdir():
        yield from around(child, hidden)
