"""What a submission prints: kept in one file, of which the end is worth showing."""

from __future__ import annotations

import io
import os

ROOM = 1 << 20
SHOWN = 1 << 16


class Rewinding(io.RawIOBase):
    """Writes to a file descriptor, and starts the file afresh before it grows too long.

    So however much is printed, printing goes on working and costs nobody marks.
    """

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._fd = fd
        self._length = 0

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def fileno(self) -> int:
        """The descriptor itself, for code that writes past us."""
        return self._fd

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Write the end of the data."""
        kept = memoryview(data).cast("B")[-ROOM:]
        if self._length + len(kept) > ROOM:
            os.ftruncate(self._fd, 0)
            os.lseek(self._fd, 0, os.SEEK_SET)
            self._length = 0
        os.write(self._fd, kept)
        self._length += len(kept)
        return len(data)


def stream(fd: int = 1) -> io.TextIOWrapper:
    """A text stream onto a descriptor, for `sys.stdout` and `sys.stderr` together."""
    raw = io.BufferedWriter(Rewinding(fd))  # type: ignore[type-var]  # any RawIOBase will do
    return io.TextIOWrapper(raw, "utf-8", errors="replace", line_buffering=True)


def end(fd: int, page: int = 0) -> str:
    """The end of what was printed. The descriptor's position is the worker's, and stays.

    Args:
        fd: the file.
        page: where in it to begin; a file that was started afresh since is shown from its start.
    """
    size = os.fstat(fd).st_size
    start = max(page if page <= size else 0, size - SHOWN)
    return os.pread(fd, SHOWN, start).decode("utf-8", "replace")
