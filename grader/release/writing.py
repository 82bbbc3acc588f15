"""A bundle on the disk: a folder to look at, and a zip to hand out."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

STAMP = (1980, 1, 1, 0, 0, 0)
"""Every file in a zip has this date, so that equal bundles are equal files."""


def write(files: Mapping[str, bytes], out: Path, name: str) -> tuple[Path, Path]:
    """Write a bundle as a folder and as a zip that holds this folder.

    Args:
        files: paths with forward slashes to contents.
        out: where both go; what was there under their names before is replaced.
        name: the folder's name.

    Returns:
        The folder and the zip.
    """
    folder = out / name
    if folder.exists():
        shutil.rmtree(folder)
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder, zipped({f"{name}/{path}": data for path, data in files.items()}, folder)


def zipped(files: Mapping[str, bytes], stem: Path, executable: tuple[str, ...] = ()) -> Path:
    """Write files into `stem.zip`; some of them may be run."""
    file = stem.with_name(f"{stem.name}.zip")
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, STAMP)
            entry.external_attr = (0o755 if path in executable else 0o644) << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return file
