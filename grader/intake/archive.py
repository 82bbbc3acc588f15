"""Items in a zip. Nothing is ever unpacked to disk, and no member is read beyond its budget."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from ..submission import IntakeError
from .disk import OnDisk
from .items import MOST_ITEMS, Item, Kind, too_long, too_many

MOST_DIRECTORY = 16 << 20
"""Bytes of a zip's table of contents; a name takes about a hundred."""
MOST_INNER = 16 << 20
"""Bytes of a zip that lies in another one; it is held in memory."""
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
"""What the zipfile module raises for files that are broken or were made to look so."""


def is_zip(item: Item) -> bool:
    """Whether an item calls itself a zip."""
    return item.name.lower().endswith(".zip") and item.kind is not Kind.FOLDER


def opened(item: Item) -> InZip:
    """The folder that a zip holds; to be closed.

    Raises:
        IntakeError: it is no zip, or a broken or oversized one.
    """
    file = item.open() if isinstance(item, OnDisk) else io.BytesIO(item.read(MOST_INNER))
    try:
        _refuse_large_directory(file)
        archive = zipfile.ZipFile(file)
        members = archive.infolist()
        if len(members) > MOST_ITEMS:
            raise too_many()
    except _BROKEN as error:
        file.close()
        raise IntakeError(f"it is no zip that can be read: {error}") from None
    except IntakeError:
        file.close()
        raise
    return _tree(item, archive, members)


_END = struct.Struct("<4s4H2IH")
_SIGNATURE = b"PK\x05\x06"


def _refuse_large_directory(file: BinaryIO) -> None:
    """Look at the end of a zip before the zipfile module reads all of its table of contents."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _END.size - 0xFFFF))
    end = file.read()
    at = end.rfind(_SIGNATURE)
    if 0 <= at <= len(end) - _END.size and _END.unpack_from(end, at)[5] > MOST_DIRECTORY:
        raise too_many()
    file.seek(0)


@dataclass
class InZip:
    """A member of a zip, or a folder of members: an `Item`.

    A zip may hold several members of one name, and names that lead out of it. The former cannot be
    read, because nobody knows which is meant; the latter are listed in `escapes` and nowhere else.
    """

    name: str
    path: str
    archive: zipfile.ZipFile
    members: list[zipfile.ZipInfo] = field(default_factory=list)
    inside: dict[str, InZip] = field(default_factory=dict)
    escapes: list[str] = field(default_factory=list)
    is_folder: bool = False

    @property
    def kind(self) -> Kind:
        """See `Item`."""
        if self.is_folder:
            return Kind.FOLDER
        mode = self.members[0].external_attr >> 16
        return Kind.FILE if stat.S_IFMT(mode) in {0, stat.S_IFREG} else Kind.OTHER

    def read(self, most: int) -> bytes:
        """See `Item`."""
        if len(self.members) != 1:
            raise IntakeError(f"the zip holds {len(self.members)} files of this name")
        if self.kind is not Kind.FILE:
            raise IntakeError("it is a link, or no regular file")
        [member] = self.members
        if member.flag_bits & 1:
            raise IntakeError("it is encrypted")
        if member.compress_type not in _METHODS:
            raise IntakeError("it is packed by a method that is not read; use an ordinary zip")
        try:
            with self.archive.open(member) as file:
                data = file.read(most + 1)
        except _BROKEN as error:
            raise IntakeError(f"the zip is broken there: {error}") from None
        if len(data) > most:
            raise too_long(most)
        return data

    def children(self) -> list[InZip]:
        """See `Item`."""
        return [self.inside[name] for name in sorted(self.inside)]

    def close(self) -> None:
        """Close the zip; nothing of it can be read any more."""
        file = self.archive.fp
        self.archive.close()
        if file is not None:
            file.close()


def _tree(item: Item, archive: zipfile.ZipFile, members: Iterable[zipfile.ZipInfo]) -> InZip:
    top = InZip(item.name, item.path, archive, is_folder=True)
    for member in members:
        # Some programs on Windows part names by backslashes.
        parts = member.orig_filename.replace("\\", "/").removesuffix("/").split("/")
        if any(part in _ESCAPES or "\0" in part for part in parts):
            top.escapes.append(member.filename)
        elif len(parts) <= _DEEPEST:
            _add(top, parts, member)
    return top


_DEEPEST = 8
"""Folders within folders that are looked at."""
_ESCAPES = {"", ".", ".."}


def _add(top: InZip, parts: list[str], member: zipfile.ZipInfo) -> None:
    node = top
    for part in parts:
        path = f"{node.path}/{part}"
        node = node.inside.setdefault(part, InZip(part, path, top.archive, is_folder=True))
    if not member.is_dir():
        node.members.append(member)
        node.is_folder = False
