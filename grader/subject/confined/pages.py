"""Memory in large pages, so that a fork has little to copy.

A fork copies the table of its parent's pages. A process with PyTorch loaded has some fifty
thousand pages of 4 KiB; gathered in pages of 2 MiB they are a hundred, and a worker starts and
ends in a third of the time. What a worker writes to is still copied by 4 KiB.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import libc

LARGE = 2 << 20
_MADV_COLLAPSE = 25
"""Since Linux 6.1; an older kernel refuses it, and forks as it always did."""

Range = tuple[int, int]


def private(pid: int) -> list[Range]:
    """Where a process may have large pages: memory of its own, written to, from no file.

    Asked from outside, as a confined process cannot look into /proc.
    """
    with contextlib.suppress(OSError):
        maps = Path(f"/proc/{pid}/maps").read_text(encoding="ascii", errors="replace")
        return list(_large(maps))
    return []


def gather(ranges: Iterable[Range]) -> None:
    """Gather this process's memory in large pages, as far as the kernel does that."""
    for start, end in ranges:
        with contextlib.suppress(OSError):
            place, length = ctypes.c_void_p(start), ctypes.c_size_t(end - start)
            libc.call("madvise", place, length, _MADV_COLLAPSE)


def _large(maps: str) -> Iterator[Range]:
    for line in maps.splitlines():
        place, rights, _, _, file, *name = line.split(maxsplit=5)
        start, end = (int(address, 16) for address in place.split("-"))
        start, end = -(-start // LARGE) * LARGE, end // LARGE * LARGE
        if rights == "rw-p" and file == "0" and name != ["[stack]"] and start < end:
            yield start, end
