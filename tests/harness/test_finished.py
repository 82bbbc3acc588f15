"""The page of a finished course."""

import json
import re

import numpy as np
import pytest

from grader import finished
from grader.course import load
from grader.figures.example import worked_example
from grader.submission import read_folder
from harness.cli import ROOT

COURSE = load(ROOT)
DATA = re.compile(r'<script type="application/json">(.*?)</script>')


@pytest.fixture(scope="module")
def page() -> str:
    return finished.page(COURSE, read_folder(ROOT / "solutions", COURSE.names))


def test_it_says_what_each_stage_taught(page: str) -> None:
    lessons = re.findall(r"<li><strong>(.*?)\.</strong> (.+?)</li>", page)
    assert [title for title, _ in lessons] == [stage.title for stage in COURSE.stages]
    assert all(len(lesson.split()) > 10 for _, lesson in lessons)


def test_its_text_is_set_and_shows_no_marks(page: str) -> None:
    lessons = page.partition("What each stage taught")[2].partition("</ol>")[0]
    assert "<em>" in lessons
    assert not re.search(r"[`*]", lessons)


def test_the_learner_s_own_weights_are_in_its_figure(page: str) -> None:
    shown = json.loads(DATA.findall(page)[0])
    np.testing.assert_allclose(shown["mine"]["A"], worked_example().A, atol=1e-5)


def test_it_asks_nothing_of_a_network(page: str) -> None:
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)
