"""What a worker judges by: the client's course, byte for byte, and the part that is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader import course as courses
from grader.batch.basis import basis
from grader.batch.cluster.worker import Judging
from grader.batch.talk import Orders, Part
from grader.batch.task import belongs
from grader.course import CourseError
from grader.record import Isolation
from harness.batch import toy
from harness.cli import ROOT

ISOLATION = Isolation(3, (), ())


class Started:
    """Judges that only say by what they were started."""

    isolation = ISOLATION

    def __init__(self, orders: Orders, jobs: int) -> None:
        self.orders, self.jobs, self.closed = orders, jobs, False
        made.append(self)

    def close(self) -> None:
        self.closed = True


made: list[Started] = []


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judging:
    """The plugin for the toy course, with judges that are not started."""
    monkeypatch.setattr("grader.batch.cluster.worker.Judges", Started)
    made.clear()
    course = toy.course(tmp_path / "course")
    orders = Orders(str(course.root), course.names, "seed")
    return Judging(orders, basis(course, course.stages, ISOLATION), "judging-here")


def test_the_same_course_at_the_same_path(plugin: Judging) -> None:
    plugin.started(3)
    assert (made[0].jobs, made[0].closed) == (3, False)


def test_the_same_course_at_another_path(
    plugin: Judging, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "course").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    plugin.started(1)
    assert made[0].orders.root == str(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    "file",
    ["course.toml", "solutions/half.py", "tests/stages/hidden/half.py", "tests/mistakes/x.py"],
)
def test_another_course_is_refused(plugin: Judging, tmp_path: Path, file: str) -> None:
    changed = tmp_path / "course" / file
    changed.parent.mkdir(exist_ok=True)
    changed.write_text((changed.read_text() if changed.exists() else "") + "\n# changed\n")
    with pytest.raises(CourseError, match="is not the one that is judged"):
        plugin.started(1)
    assert made[0].closed


def test_another_level_of_confinement_is_refused(
    plugin: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Started, "isolation", replace(ISOLATION, level=1))
    with pytest.raises(CourseError):
        plugin.started(1)


def test_every_stage_is_judged_in_one_of_two_parts() -> None:
    course = courses.load(ROOT)
    plain, accelerated = (
        [stage.name for stage in course.stages if belongs(stage, part)]
        for part in (Part.PLAIN, Part.ACCELERATED)
    )
    assert sorted([*plain, *accelerated]) == sorted(course.names)
    assert plain
    assert accelerated == [stage.name for stage in course.stages if stage.ratios]
    assert all(belongs(stage, Part.WHOLE) for stage in course.stages)
