"""Items on disk. No link is ever followed, and nothing but a regular file is opened."""

from __future__ import annotations

import itertools
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..submission import IntakeError
from .items import MOST_ITEMS, Kind, too_long, too_many

_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
"""Windows has not all of them; O_NONBLOCK is for a pipe that takes the place of a file."""


@dataclass(frozen=True)
class OnDisk:
    """A file or folder on disk: an `Item`.

    Attributes:
        place: where it is.
        chosen: whether the instructor named it, so that a link may be followed.
    """

    place: Path
    chosen: bool = False

    @property
    def name(self) -> str:
        """See `Item`."""
        return self.place.name or self.place.resolve().name

    @property
    def path(self) -> str:
        """See `Item`."""
        return str(self.place)

    @property
    def kind(self) -> Kind:
        """See `Item`."""
        try:
            mode = self.place.stat(follow_symlinks=self.chosen).st_mode
        except OSError:
            return Kind.OTHER
        if stat.S_ISDIR(mode):
            return Kind.FOLDER
        return Kind.FILE if stat.S_ISREG(mode) else Kind.OTHER

    def read(self, most: int) -> bytes:
        """See `Item`."""
        with self.open() as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise too_long(most)
        return data

    def open(self) -> BinaryIO:
        """The file, opened for reading.

        Raises:
            IntakeError: it is no regular file, or may not be read.
        """
        flags = os.O_RDONLY
        for name in _FLAGS:
            flags |= 0 if self.chosen and name == "O_NOFOLLOW" else getattr(os, name, 0)
        if self.kind is not Kind.FILE:
            raise IntakeError("it is a link, or no regular file")
        try:
            return os.fdopen(os.open(self.place, flags), "rb")
        except OSError as error:
            raise IntakeError(error.strerror or "it cannot be opened") from None

    def children(self) -> list[OnDisk]:
        """See `Item`."""
        try:
            with os.scandir(self.place) as entries:
                names = [entry.name for entry in itertools.islice(entries, MOST_ITEMS + 1)]
        except OSError as error:
            raise IntakeError(error.strerror or "it cannot be listed") from None
        if len(names) > MOST_ITEMS:
            raise too_many()
        return [OnDisk(self.place / name) for name in sorted(names)]
