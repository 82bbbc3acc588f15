"""What a run leaves to CI is taken out and counted, and a whole run leaves nothing out."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness import exhaustive

ARGS, TESTPATHS = pytest.Config.ArgsSource.ARGS, pytest.Config.ArgsSource.TESTPATHS


@pytest.fixture(autouse=True)
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """As before this run was begun."""
    for name in ("CI", exhaustive._WHOLE):
        monkeypatch.setenv(name, "")  # so that it is put back
        monkeypatch.delenv(name)


def decided(*, source: pytest.Config.ArgsSource = TESTPATHS, asked: bool = False) -> bool:
    config = SimpleNamespace(args_source=source, getoption=lambda _: asked)
    exhaustive.decide(cast("pytest.Config", config))
    return exhaustive.whole()


def test_a_run_without_further_words_is_not_whole() -> None:
    assert not decided()


def test_whoever_asks_for_all_or_names_a_file_gets_all() -> None:
    assert decided(asked=True)
    assert decided(source=ARGS)


def test_ci_gets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert decided()


def test_the_sample_of_a_run_is_what_is_not_marked() -> None:
    marked = [bool(value.marks) for value in exhaustive.sampled(range(7), 3)]
    assert [value for value, left in enumerate(marked) if not left] == [0, 3, 6]
    assert exhaustive.some(range(7), 3) == [0, 3, 6]
    assert [one.values for one in exhaustive.sampled([("a", 1)], 3)] == [("a", 1)]
    decided(asked=True)
    assert exhaustive.some(range(7), 3) == [*range(7)]


def test_what_is_left_is_counted_and_said() -> None:
    reported: list[Any] = []
    hook = SimpleNamespace(pytest_deselected=lambda items: reported.extend(items))
    config = cast("pytest.Config", SimpleNamespace(hook=hook))
    marks = [None, exhaustive.MARK, None]
    every: list[Any] = [SimpleNamespace(get_closest_marker=lambda _, m=m: m) for m in marks]
    items = [*every]
    assert exhaustive.leave_out(config, items) == 1
    assert (items, reported) == ([every[0], every[2]], [every[1]])
    assert exhaustive.COMMAND in exhaustive.told(1)
    decided(asked=True)
    items = [*every]
    assert exhaustive.leave_out(config, items) == 0
    assert items == every
