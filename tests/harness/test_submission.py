from pathlib import Path

import pytest

from grader import submission as submissions
from grader.submission import IntakeError

MODULES = ("one", "two")
STUB = '"""Doc."""\n\ndef f(x):\n    """Doc."""\n    raise NotImplementedError("build it")\n'


def read(folder: Path) -> submissions.Submission:
    return submissions.read_folder(folder, MODULES)


def test_only_the_courses_modules_are_read(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1")
    (tmp_path / "torch.py").write_text("x = 2")
    assert dict(read(tmp_path).texts) == {"one": "x = 1"}


def test_bom_and_windows_line_ends_are_taken_as_they_are_meant(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_bytes(b"\xef\xbb\xbfx = 1\r\ny = 2\r\n")
    assert read(tmp_path).texts["one"] == "x = 1\ny = 2\n"


def test_spaces_and_other_scripts_in_a_path_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "eine Übung 作业"
    folder.mkdir()
    (folder / "one.py").write_text("x = 1")
    assert read(folder).texts["one"] == "x = 1"
    assert read(folder).id == "eine Übung 作业"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x = '\xff'", "not UTF-8"),
        (b"x = 1\0", "zero byte"),
        (b"#" * (submissions.MAX_BYTES + 1), "at most 256 are read"),
    ],
)
def test_a_file_that_is_no_module_is_a_problem_of_that_stage(
    tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "one.py").write_bytes(data)
    (tmp_path / "two.py").write_text("x = 1")
    submission = read(tmp_path)
    assert said in submission.problems["one"]
    assert "two" in submission.texts


def test_a_missing_folder_and_a_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(IntakeError, match="not there"):
        read(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(IntakeError, match="a file, not a folder"):
        read(tmp_path / "file")


def test_equal_work_has_an_equal_digest_wherever_it_lies(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.py").write_text("x = 1")
    first, second = read(tmp_path / "a"), read(tmp_path / "b")
    assert first.digest == second.digest
    (tmp_path / "b" / "one.py").write_text("x = 2")
    assert read(tmp_path / "b").digest != first.digest


def test_moving_text_from_one_module_to_the_next_changes_the_digest(tmp_path: Path) -> None:
    digests = set()
    for texts in (("ab", "c"), ("a", "bc")):
        for module, text in zip(MODULES, texts, strict=True):
            (tmp_path / f"{module}.py").write_text(text)
        digests.add(read(tmp_path).digest)
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("text", "untouched"),
    [
        (STUB, True),
        (STUB.replace('raise NotImplementedError("build it")', "pass"), True),
        (STUB.replace('raise NotImplementedError("build it")', "..."), True),
        (STUB.replace('raise NotImplementedError("build it")', "return x"), False),
        (STUB.replace('raise NotImplementedError("build it")', "raise ValueError"), False),
        (STUB + "\ndef g(x):\n    return x\n", False),
        ("", True),
        ("import torch\n", True),
        ("f = max\n", False),
    ],
)
def test_a_stub_is_told_from_work(text: str, untouched: bool) -> None:
    assert submissions.not_started(text) is untouched


def test_a_syntax_error_is_told_with_its_line() -> None:
    said = submissions.syntax_problem("x = 1\ndef f(:\n    pass\n", "one.py")
    assert "one.py, line 2" in said
    assert "def f(:" in said


@pytest.mark.parametrize("text", ["-" * 100_000 + "1", "(" * 100_000, "a" + "." + "a." * 50_000])
def test_a_text_that_breaks_the_parser_is_a_problem_not_a_crash(text: str) -> None:
    assert submissions.syntax_problem(text, "one.py")
