"""Files and folders of strangers, on disk or in a zip, looked at without trusting their names."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from ..submission import IntakeError

MOST_ITEMS = 100_000
"""Names that are looked at in one folder or zip."""


class Kind(Enum):
    """What an item is. Links, devices and pipes are `OTHER`, and never opened."""

    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"


class Item(Protocol):
    """A file or a folder."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        ...

    @property
    def path(self) -> str:
        """How to name it to the instructor."""
        ...

    @property
    def kind(self) -> Kind:
        """What it is; a link is never followed to find out."""
        ...

    def read(self, most: int) -> bytes:
        """A file's bytes.

        Args:
            most: how many are read at most.

        Raises:
            IntakeError: it has more, or cannot be read; the message says why.
        """
        ...

    def children(self) -> Sequence[Item]:
        """A folder's items, by name.

        Raises:
            IntakeError: it cannot be listed, or holds too many.
        """
        ...


def is_clutter(name: str) -> bool:
    """Whether an operating system or an editor left this behind; nobody wants to hear of it."""
    return name.startswith(".") or name in {"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini"}


def too_long(most: int) -> IntakeError:
    """What to say of a file with more bytes than are read."""
    return IntakeError(f"it has more than the {most // 1024} KiB that are read")


def too_many() -> IntakeError:
    """What to say of a folder or zip with more names than are looked at."""
    return IntakeError(f"it holds more than {MOST_ITEMS} files")
