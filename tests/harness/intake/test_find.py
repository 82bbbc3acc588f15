"""Which submissions a path stands for, and whose they are."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from grader.submission import IntakeError
from harness.intake.handing_in import SOFTMAX, folder, found, zipped

ONE = {"softmax.py": SOFTMAX}


def test_a_folder_that_is_a_submission(tmp_path: Path) -> None:
    handed_in = folder(tmp_path / "alice", {**ONE, "scores.py": "x = 1\r\n"})
    [(id_, (submission, notes))] = found(handed_in).items()
    assert id_ == submission.id == "alice"
    assert submission.texts == {"softmax": SOFTMAX, "scores": "x = 1\n"}
    assert (submission.problems, notes) == ({}, ())


@pytest.mark.parametrize("inside", ["", "alice/", "my work/final/", "exercises/"])
def test_a_zip_that_is_a_submission(tmp_path: Path, inside: str) -> None:
    names = {f"{inside}{name}": text for name, text in ONE.items()}
    class_ = folder(tmp_path / "class", {})
    zipped(class_ / "alice.ZIP", {**names, "__MACOSX/._softmax.py": "x", ".DS_Store": "x"})
    assert found(class_)["alice"][0].texts == {"softmax": SOFTMAX}
    assert found(class_)["alice"][1] == ()


def test_a_zip_of_a_folder_on_its_own(tmp_path: Path) -> None:
    assert list(found(zipped(tmp_path / "alice.zip", {"hw1/softmax.py": SOFTMAX}))) == ["alice"]


def test_the_whole_course_handed_in(tmp_path: Path) -> None:
    files = {
        "course/exercises/softmax.py": SOFTMAX,
        "course/tests/stages/public/softmax.py": "no",
        "course/tests/stages/hidden/softmax.py": "no",
    }
    class_ = folder(tmp_path / "class", {})
    zipped(class_ / "alice.zip", files)
    assert found(class_)["alice"][0].texts == {"softmax": SOFTMAX}


def test_modules_in_several_folders_are_not_guessed_at(tmp_path: Path) -> None:
    folder(tmp_path / "class/alice", {"one/softmax.py": SOFTMAX, "two/softmax.py": SOFTMAX})
    [(submission, _)] = found(tmp_path / "class").values()
    assert "Several folders hold modules" in submission.problems["softmax"]
    assert "one, two" in submission.problems["softmax"]


def test_a_class_in_folders_and_zips(tmp_path: Path) -> None:
    for name in ("bob", "alice"):
        folder(tmp_path / name, ONE)
    zipped(tmp_path / "carol.zip", ONE)
    folder(tmp_path, {"README.txt": "not a submission", ".DS_Store": ""})
    folder(tmp_path / "dora", {})
    everybody = found(tmp_path)
    assert list(everybody) == ["alice", "bob", "carol", "dora"]
    assert everybody["dora"][0].texts == {}


@pytest.mark.parametrize("unpacked", [True, False])
def test_canvas(tmp_path: Path, unpacked: bool) -> None:
    files: dict[str, str | bytes] = {
        "doejane_4711_815_softmax-2.py": SOFTMAX,
        "doejane_4711_816_scores.py": "x = 1\n",
        "müller_LATE_4712_817_softmax.py": SOFTMAX,
        "LATE_anon_x1Y2z_818_softmax.py": SOFTMAX,
        "roebob_4713_819_work.zip": zipped(tmp_path / "w.zip", {"softmax.py": "y"}).read_bytes(),
    }
    make = folder if unpacked else zipped
    everybody = found(make(tmp_path / "submissions.zip", files))
    assert set(everybody) == {"4711", "4712", "4713", "anon_x1Y2z"}
    assert everybody["4711"][0].texts == {"softmax": SOFTMAX, "scores": "x = 1\n"}
    assert everybody["4713"][0].texts == {"softmax": "y"}


def test_moodle_as_folders_and_as_files(tmp_path: Path) -> None:
    folder(tmp_path / "a/Jane Doe_4711_assignsubmission_file_", ONE)
    folder(tmp_path / "a/Ünal Öz_4712_assignsubmission_file", ONE)
    folder(tmp_path / "b", {"Jane Doe_4711_assignsubmission_file_softmax.py": SOFTMAX})
    assert set(found(tmp_path / "a")) == {"4711", "4712"}
    [(id_, (submission, _))] = found(tmp_path / "b").items()
    assert (id_, submission.texts) == ("4711", {"softmax": SOFTMAX})


def test_gradescope(tmp_path: Path) -> None:
    inside = "assignment_9100_export/"
    files = {
        f"{inside}submission_4711/softmax.py": SOFTMAX,
        f"{inside}submission_4712/exercises/softmax.py": SOFTMAX,
        f"{inside}submission_metadata.yml": "submission_4711:\n",
    }
    for path in (folder(tmp_path / "x", files), zipped(tmp_path / "x.zip", files)):
        assert set(found(path)) == {"submission_4711", "submission_4712"}


def test_two_submissions_of_one_student(tmp_path: Path) -> None:
    folder(tmp_path / "alice", ONE)
    zipped(tmp_path / "alice.zip", {"softmax.py": "x = 2\n"})
    folder(tmp_path / "alice (2)", ONE)
    everybody = found(tmp_path)
    assert sorted(everybody) == ["alice", "alice (2)", "alice (2)'"]
    assert everybody["alice"][1] == ("2 submissions are by alice; this one is alice.",)
    told = [notes for submission, notes in everybody.values() if "zip" in submission.path]
    assert told == [("2 submissions are by alice; this one is alice.zip.",)]


def test_names_in_any_script(tmp_path: Path) -> None:
    names = ["Ångström", "李小龙", "محمد", "😀", "x" * 200, "a\u202eb", "new\nline", "%s{}[/red]"]
    for name in names:
        folder(tmp_path / name, ONE)
    folder(tmp_path / os.fsdecode(b"latin-\xe9"), ONE)
    everybody = found(tmp_path)
    assert len(everybody) == len(names) + 1
    assert {"李小龙", "محمد", "😀", "a�b", "latin-�"} <= set(everybody)
    for id_ in everybody:
        id_.encode()


def test_names_that_only_look_different(tmp_path: Path) -> None:
    folder(tmp_path / unicodedata.normalize("NFC", "Zoë"), ONE)
    folder(tmp_path / unicodedata.normalize("NFD", "Zoë"), ONE)
    assert len(set(found(tmp_path))) == 2
    assert {notes[0].partition(" are by ")[0] for _, notes in found(tmp_path).values()} == {
        "2 submissions"
    }


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda _: None, "is not there"),
        (lambda path: path.write_text("x"), "is no folder, no zip and no notebook"),
        (lambda path: path.mkdir(), "holds no submission"),
        (lambda path: os.mkfifo(path), "is not there"),
    ],
)
def test_a_path_that_holds_no_submission(tmp_path: Path, make: object, told: str) -> None:
    path = tmp_path / "path"
    make(path)  # type: ignore[operator]
    with pytest.raises(IntakeError, match=f"path {told}.*Give a submission"):
        found(path)


def test_a_broken_zip_on_its_own(tmp_path: Path) -> None:
    path = tmp_path / "alice.zip"
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(IntakeError, match=r"alice\.zip cannot be read: it is no zip"):
        found(path)
