from pathlib import Path

import pytest

from grader import course as courses
from grader.course import CourseError

ROOT = Path(__file__).parents[2]
HEAD = 'name = "c"\ntitle = "C"\n'
STAGE = '[[stage]]\nname = "one"\ntitle = "One"\npoints = 5\nminutes = 1\nseconds = 1\nmemory = 9\n'


def load(folder: Path, text: str) -> courses.Course:
    (folder / "course.toml").write_text(text, encoding="utf-8")
    return courses.load(folder)


def test_the_course_has_seven_stages_worth_a_hundred_points() -> None:
    course = courses.load(ROOT)
    assert len(course.stages) == 7
    assert course.points == 100


def test_a_stage_knows_the_stages_before_it() -> None:
    assert courses.load(ROOT).before("scaling") == ("projection", "scores")


def test_an_unknown_stage_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(CourseError, match="Did you mean 'softmax'"):
        courses.load(ROOT).stage("sofmax")


def test_a_name_like_no_other_gets_the_list_only() -> None:
    with pytest.raises(CourseError, match=r"no stage 'zzz'\. The stages are projection"):
        courses.load(ROOT).stage("zzz")


def test_a_missing_file_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="in the folder of the course"):
        courses.load(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "not readable as TOML"),
        (STAGE, "must say name"),
        (HEAD, "has no"),
        (HEAD + "stage = [1]", "each stage is a table"),
        (HEAD + STAGE.replace("points = 5\n", ""), "'points' is missing"),
        (HEAD + STAGE + 'colour = "red"\n', "'colour' is not known"),
        (HEAD + STAGE.replace("points = 5", 'points = "5"'), "must be int or float"),
        (HEAD + STAGE.replace("points = 5", "points = true"), "must be int or float"),
        (HEAD + STAGE.replace("points = 5", "points = -5"), "must not be negative"),
        (HEAD + STAGE.replace('"one"', '"a b"'), "a Python module's name"),
        (HEAD + STAGE + STAGE, "same name: one"),
    ],
)
def test_a_broken_course_says_what_and_where(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CourseError, match=said):
        load(tmp_path, text)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CourseError, match="not readable as TOML"):
        courses.load(tmp_path)
