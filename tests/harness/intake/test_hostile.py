"""Files that are made to harm: each is told in a line, and everybody else's work is read."""

from __future__ import annotations

import io
import os
import resource
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.intake import archive
from grader.submission import MAX_BYTES
from harness.intake.handing_in import SOFTMAX, Found, folder, found, zipped

PRIVATE = "what no submission may bring into a report"


@pytest.fixture
def class_(tmp_path: Path) -> Path:
    """A class in which Bob's work is fine."""
    folder(tmp_path / "class/bob", {"softmax.py": SOFTMAX})
    (tmp_path / "secret.py").write_text(PRIVATE)
    return tmp_path / "class"


def of_alice(class_: Path) -> tuple[dict[str, str], str, dict[str, str]]:
    """Alice's texts, what is wrong with her softmax, and all problems; Bob's work is read."""
    everybody: Found = found(class_)
    assert everybody["bob"][0].texts == {"softmax": SOFTMAX}
    submission, notes = everybody["alice"]
    assert PRIVATE not in repr((submission, notes))
    told = submission.problems.get("softmax", "") + " ".join(notes)
    return dict(submission.texts), told, dict(submission.problems)


def link(place: Path, to: str) -> None:
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(to)


def pipe(place: Path) -> None:
    place.parent.mkdir()
    os.mkfifo(place)


def member(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda p: link(p / "softmax.py", "../../secret.py"), "is a link"),
        (lambda p: link(p / "softmax.py", "/dev/zero"), "is a link"),
        (lambda p: link(p / "softmax.py", "softmax.py"), "is a link"),
        (lambda p: link(p, "/etc"), "It is a link"),
        (lambda p: link(p.with_suffix(".zip"), "bob"), "It is a link"),
        (lambda p: (p / "softmax.py").mkdir(parents=True), "cannot be read: it is a link, or no"),
        (lambda p: pipe(p / "softmax.py"), "no regular file"),
        (lambda p: folder(p, {"softmax.py": "#" * (MAX_BYTES + 1)}), "more than the 256 KiB"),
        (lambda p: sparse(folder(p, {}) / "softmax.py"), "more than the 256 KiB"),
        (lambda p: sparse(p.with_suffix(".zip")), "no zip that can be read"),
        (lambda p: folder(p, {"softmax.py": b"\xff\xfe"}), "is not UTF-8"),
        (lambda p: folder(p, {"softmax.py": b"a\0b"}), "zero byte"),
        (lambda p: p.with_suffix(".zip").write_bytes(b""), "no zip that can be read"),
        (lambda p: truncated(p.with_suffix(".zip")), "zip"),
        (lambda p: damaged(p.with_suffix(".zip")), "the zip is broken there"),
        (lambda p: encrypted(p.with_suffix(".zip")), "it is encrypted"),
        (lambda p: bomb(p.with_suffix(".zip")), "more than the 256 KiB"),
        (lambda p: twins(p.with_suffix(".zip")), "2 files of this name"),
        (lambda p: packed_otherwise(p.with_suffix(".zip")), "packed by a method"),
        (lambda p: zip_link(p.with_suffix(".zip")), "is a link"),
        (lambda p: crowded(p.with_suffix(".zip")), "holds more than"),
    ],
)
def test_what_cannot_be_read_is_told(
    class_: Path, make: Callable[[Path], object], told: str
) -> None:
    make(class_ / "alice")
    texts, said, problems = of_alice(class_)
    assert "softmax" not in texts
    assert told in said
    assert str(class_) not in "".join(problems.values()), "equal work must have equal results"


def sparse(file: Path) -> None:
    with file.open("wb") as out:
        out.truncate(2 << 30)


def bomb(file: Path) -> None:
    zipped(file, {"softmax.py": b"#" * (64 << 20)})


def truncated(file: Path) -> None:
    data = zipped(file, {"softmax.py": os.urandom(4096)}).read_bytes()
    file.write_bytes(data[: len(data) // 2])


def damaged(file: Path) -> None:
    data = bytearray(zipped(file, {"softmax.py": os.urandom(4096).hex()}).read_bytes())
    data[200:300] = bytes(100)
    file.write_bytes(data)


def encrypted(file: Path) -> None:
    data = bytearray(zipped(file, {"softmax.py": SOFTMAX}).read_bytes())
    directory = data.index(b"PK\x01\x02")
    struct.pack_into("<H", data, 6, 1)
    struct.pack_into("<H", data, directory + 8, 1)
    file.write_bytes(data)


def twins(file: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        zipped(file, [(member("softmax.py"), b"a = 1"), (member("softmax.py"), b"a = 2")])


def packed_otherwise(file: Path) -> None:
    info = member("softmax.py")
    info.compress_type = zipfile.ZIP_LZMA
    zipped(file, [(info, SOFTMAX.encode())])


def zip_link(file: Path) -> None:
    zipped(file, [(member("softmax.py", 0o120777), b"/etc/passwd")])


def crowded(file: Path) -> None:
    """A zip whose table of contents alone says that it is larger than any submission."""
    zipped(file, {"softmax.py": SOFTMAX})
    data = bytearray(file.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 12, archive.MOST_DIRECTORY + 1)
    file.write_bytes(data)


@pytest.mark.parametrize(
    "name", ["../softmax.py", "a/../../softmax.py", "/etc/softmax.py", "..\\..\\softmax.py"]
)
def test_names_that_lead_out_of_a_zip(class_: Path, name: str) -> None:
    zipped(class_ / "alice.zip", {name: "x", "softmax.py": SOFTMAX})
    texts, told, _ = of_alice(class_)
    assert texts == {"softmax": SOFTMAX}
    assert "Names that lead out of the zip were left alone" in told
    assert sorted(path.name for path in class_.parent.iterdir()) == ["class", "secret.py"]


def test_names_parted_by_backslashes_are_folders(class_: Path) -> None:
    zipped(class_ / "alice.zip", {"work\\softmax.py": SOFTMAX})
    assert of_alice(class_)[0] == {"softmax": SOFTMAX}


def test_a_zip_in_a_zip_is_left_alone_and_told(class_: Path) -> None:
    inner = zipped(class_.parent / "inner.zip", {"scores.py": "x"}).read_bytes()
    files: dict[str, str | bytes] = {"softmax.py": SOFTMAX, "more.zip": inner}
    zipped(class_ / "alice.zip", files)
    (class_.parent / "inner.zip").unlink()
    texts, told, _ = of_alice(class_)
    assert texts == {"softmax": SOFTMAX}
    assert "Not read, as only projection.py … are: more.zip." in told


def test_names_that_are_nearly_right_are_told(class_: Path) -> None:
    folder(class_ / "alice", {"Softmax.py": "x", "softmax (1).py": "x", "work.ipynb": "{}"})
    texts, told, _ = of_alice(class_)
    assert texts == {}
    assert "Softmax.py, softmax (1).py, work.ipynb" in told


@pytest.mark.parametrize("make", [folder, zipped])
def test_ten_thousand_files(class_: Path, make: Callable[..., Path]) -> None:
    files = {f"data/{number}.txt": "" for number in range(10_000)} | {"softmax.py": SOFTMAX}
    make(class_ / ("alice" if make is folder else "alice.zip"), files)
    assert of_alice(class_)[0] == {"softmax": SOFTMAX}


def test_more_files_than_are_looked_at(class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("disk", "archive", "items"):
        monkeypatch.setattr(f"grader.intake.{module}.MOST_ITEMS", 10)
    folder(class_ / "alice", {f"{number}.txt": "" for number in range(11)})
    assert "holds more than 10 files" in of_alice(class_)[1]
    zipped(class_ / "carol.zip", {f"{number}.txt": "" for number in range(11)})
    assert "holds more than 10 files" in found(class_)["carol"][0].problems["softmax"]


def test_a_bomb_takes_no_memory(class_: Path) -> None:
    """256 MiB of zeros in a few KiB: nothing but the first 256 KiB is ever unpacked."""
    with (
        zipfile.ZipFile(class_ / "alice.zip", "w", zipfile.ZIP_DEFLATED) as out,
        out.open("softmax.py", "w", force_zip64=True) as file,
    ):
        for _ in range(256):
            file.write(bytes(1 << 20))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "more than the 256 KiB" in of_alice(class_)[1]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 << 10


def test_an_inner_zip_of_a_bulk_download_has_a_budget(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_STORED) as out:
        out.writestr("softmax.py", SOFTMAX)
        out.writestr("video.mp4", bytes(archive.MOST_INNER))
    files: dict[str, str | bytes] = {
        "doe_1_2_work.zip": inner.getvalue(),
        "roe_3_4_softmax.py": SOFTMAX,
    }
    everybody = found(zipped(tmp_path / "submissions.zip", files))
    assert "more than the 16384 KiB" in everybody["1"][0].problems["softmax"]
    assert everybody["3"][0].texts == {"softmax": SOFTMAX}


def test_a_folder_that_may_not_be_listed(class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(class_ / "alice", {"softmax.py": SOFTMAX})
    listed = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "alice":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert "The folder cannot be read: Permission denied." in of_alice(class_)[1]
