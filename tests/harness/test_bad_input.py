"""Whatever a file holds: a clear sentence, the other stages judged, no traceback of ours."""

from dataclasses import replace
from pathlib import Path

import pytest

from grader import check as checks
from grader import course as courses
from grader.record import StageResult, Status, SubmissionResult
from grader.submission import read_folder
from harness import exhaustive

COURSE = courses.load(Path(__file__).parents[2])
SOLUTIONS = read_folder(COURSE.root / "solutions", COURSE.names).texts
DEF = "def row_softmax(scores):\n"


def judge(folder: Path, stage: str, text: str | bytes, seconds: float = 5) -> SubmissionResult:
    """Judge a folder in which one stage holds the text and the stage before it is solved."""
    folder.mkdir(exist_ok=True)
    (folder / "scores.py").write_text(SOLUTIONS["scores"], encoding="utf-8")
    data = text.encode() if isinstance(text, str) else text
    (folder / f"{stage}.py").write_bytes(data)
    submission = read_folder(folder, COURSE.names)
    stages = [COURSE.stage("scores"), replace(COURSE.stage(stage), seconds=seconds)]
    return checks.check(COURSE, submission, stages, lambda _: None).submissions[0]


def said(result: StageResult) -> str:
    """Everything that a stage's result tells its reader."""
    return "\n".join([result.message, *(check.message for check in result.checks)])


BROKEN: list[tuple[str | bytes, str]] = [
    ("def row_softmax(scores:\n", "softmax.py, line 1"),
    ("x = 1\n", "softmax.py does not define row_softmax"),
    (DEF.replace("scores", "") + "    return 1\n", "takes 0 positional arguments"),
    (DEF + "    scores.exp()\n", "None (is a `return` missing?)"),
    (DEF + "    return [scores, scores]\n", "a list of 2"),
    (DEF + "    return scores.detach().numpy()\n", "numpy.ndarray"),
    (DEF + "    return scores * float('nan')\n", "nan"),
    (DEF + "    return undefined\n", "NameError: name 'undefined'"),
    (DEF + "    raise RuntimeError('so there')\n", "RuntimeError: so there"),
    ("import not_a_package\n" + DEF + "    return scores\n", "No module named 'not_a_package'"),
    (DEF + "    return scores\n\ufeff", "softmax.py, line 3"),
    (b"def row_softmax(s):\n    return '\xff'\n", "not UTF-8"),
    (DEF + "    import sys\n    sys.exit(3)\n", "SystemExit"),
    ("import sys\nsys.exit(3)\n", "SystemExit"),
    (DEF + "    return torch.softmax(scores, -1)\n", "NameError"),
    ("from .mixing import attention\n" + DEF + "    return scores\n", "No module named"),
    ("def row_softmax(scores):\n    return row_softmax(scores)\n", "RecursionError"),
    ("import torch\n" + DEF + "    return torch.softmax(scores, -1)\n", "built-in softmax"),
]


@pytest.mark.parametrize(("text", "words"), exhaustive.sampled(BROKEN, 2))
def test_a_broken_module_is_told_in_words(tmp_path: Path, text: str | bytes, words: str) -> None:
    scores, softmax = judge(tmp_path, "softmax", text).stages
    assert scores.status is Status.PASSED
    assert softmax.status in {Status.FAILED, Status.ERROR}
    assert softmax.points < softmax.max_points / 2
    assert words in said(softmax)
    assert "suite/expect.py" not in said(softmax)


def test_an_empty_file_is_not_started(tmp_path: Path) -> None:
    assert judge(tmp_path, "softmax", "").stages[1].status is Status.NOT_STARTED


def test_windows_line_ends_and_a_bom_do_no_harm(tmp_path: Path) -> None:
    text = "\ufeff" + SOLUTIONS["softmax"].replace("\n", "\r\n")
    assert judge(tmp_path, "softmax", text).stages[1].status is Status.PASSED


def test_a_folder_with_spaces_and_other_scripts_is_judged(tmp_path: Path) -> None:
    result = judge(tmp_path / "mes exercices 作业", "softmax", SOLUTIONS["softmax"])
    assert result.stages[1].status is Status.PASSED


def test_a_loop_without_end_costs_its_checks_only(tmp_path: Path) -> None:
    loop = (
        DEF
        + "    while scores.shape[-1] == 1:\n        pass\n"
        + (
            "    e = (scores - scores.amax(-1, keepdim=True)).exp()\n"
            "    return e / e.sum(-1, keepdim=True)\n"
        )
    )
    softmax = judge(tmp_path, "softmax", loop, seconds=0.4).stages[1]
    slow = [check for check in softmax.checks if check.status is Status.ERROR]
    assert slow
    assert all("No answer within" in check.message for check in slow)
    assert all("softmax.py, line 3" in check.message or "line 2" in check.message for check in slow)
    assert softmax.points > 0


def test_a_million_printed_lines_cost_nothing(tmp_path: Path) -> None:
    noisy = SOLUTIONS["softmax"].replace(
        "    shifted", "    print('noise\\n' * 20_000)\n    shifted", 1
    )
    assert judge(tmp_path, "softmax", noisy).stages[1].status is Status.PASSED


def test_the_exceptions_own_line_is_shown(tmp_path: Path) -> None:
    text = (
        "def helper(scores):\n    return scores.no_such_thing\n"
        + DEF
        + "    return helper(scores)\n"
    )
    message = said(judge(tmp_path, "softmax", text).stages[1])
    assert "softmax.py, line 2, in helper" in message
    assert "return scores.no_such_thing" in message


def test_what_was_printed_stands_apart_from_what_is_wrong(tmp_path: Path) -> None:
    text = DEF + "    print('here')\n"
    assert "\n\nYour code printed, at the end:\n    here" in said(
        judge(tmp_path, "softmax", text).stages[1]
    )
