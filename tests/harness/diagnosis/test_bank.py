"""A bank as data says what the bank as code says, and holds no answer."""

import shutil
from pathlib import Path

import pytest

from grader import course as courses
from grader.diagnosis.bank import load_bank, read_bank, save
from harness.diagnosis.telling import ROOT, softmax, told

COURSE = courses.load(ROOT)
STAGE = COURSE.stage("softmax")
ANSWERS = {
    "known": softmax("e = scores.exp()", "return e / e.sum(-2, True)"),
    "unknown": softmax("return scores.exp().cumsum(-1)"),
    "raising": softmax("return scores.exp() / scores.exp().sum(-1)"),
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course's folder as a learner's bundle has it: no solutions, and banks as data."""
    root = tmp_path_factory.mktemp("bundle")
    shutil.copy(ROOT / "course.toml", root)
    shutil.copytree(ROOT / "tests/stages", root / "tests/stages")
    (root / "tests/mistakes").mkdir()
    save(load_bank(COURSE, STAGE), root / "tests/mistakes", STAGE)
    return root


def test_reading_gives_what_was_saved(bundle: Path) -> None:
    bank, again = load_bank(COURSE, STAGE), read_bank(bundle / "tests/mistakes", STAGE)
    assert again.lessons == bank.lessons
    assert [known.id for known in again.known] == [known.id for known in bank.known]
    for a, b in zip(again.known, bank.known, strict=True):
        assert a.cells.keys() == b.cells.keys()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_bundle_says_the_same(bundle: Path, name: str) -> None:
    assert told("softmax", ANSWERS[name], bundle) == told("softmax", ANSWERS[name])


def test_data_holds_no_code(bundle: Path) -> None:
    text = (bundle / "tests/mistakes/softmax.json").read_text(encoding="utf-8")
    assert "def row_softmax" not in text
    assert "amax" not in text.replace("`amax`", "").replace("x.amax", "")
    assert sum(f.stat().st_size for f in (bundle / "tests/mistakes").iterdir()) < 1 << 20


def test_a_stage_without_a_bank_is_still_measured(bundle: Path) -> None:
    for file in ("softmax.json", "softmax.safetensors"):
        (bundle / "tests/mistakes" / file).rename(bundle / file)
    found = load_bank(courses.load(bundle), STAGE)
    assert found.known == ()
    for file in ("softmax.json", "softmax.safetensors"):
        (bundle / file).rename(bundle / "tests/mistakes" / file)
