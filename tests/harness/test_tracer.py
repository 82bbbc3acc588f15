"""What others reach as well is not measured, and what is paused goes on."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import coverage
import pytest
from coverage.tracer import CTracer

from harness import tracer


class Item:
    """A test, as far as it is marked."""

    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid
        self.marks: list[str] = []

    def add_marker(self, mark: str) -> None:
        self.marks.append(mark)


class Controller:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def pause(self) -> None:
        self.told.append("pause")

    def resume(self) -> None:
        self.told.append("resume")


def config(plugin: object, **options: object) -> pytest.Config:
    manager = SimpleNamespace(getplugin=lambda _: plugin)
    return cast("pytest.Config", SimpleNamespace(pluginmanager=manager, **options))


def test_what_others_reach_as_well_is_not_measured() -> None:
    top = "tests/harness"
    places = ["docs/test_links.py", "docs/test_build.py", "test_check.py", "batch/test_check.py"]
    items = [Item(f"{top}/{place}::test_it[1]") for place in places]
    tracer.leave_out(cast("list[Any]", items))
    assert [bool(item.marks) for item in items] == [True, False, True, False]


def test_every_file_that_is_not_measured_is_there() -> None:
    here = Path(__file__).parent
    assert [place for place in tracer._AGAIN if not here.joinpath(*place).is_file()] == []


def test_a_pause_ends_whatever_happens() -> None:
    controller = Controller()

    def fail() -> None:
        with tracer.paused(config(SimpleNamespace(cov_controller=controller))):
            assert controller.told == ["pause"]
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert controller.told == ["pause", "resume"]


@pytest.mark.parametrize("plugin", [None, SimpleNamespace(cov_controller=None)])
def test_where_nothing_is_measured_there_is_nothing_to_pause(plugin: object) -> None:
    with tracer.paused(config(plugin)):
        pass


def test_what_measured_before_the_plugin_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    controller, stopped = Controller(), list[str]()
    begun = SimpleNamespace(stop=lambda: stopped.append("stop"))
    monkeypatch.setattr(coverage.process_startup, "coverage", begun, raising=False)
    tracer.end_others(config(SimpleNamespace(cov_controller=controller)))
    assert (controller.told, stopped) == (["pause"], ["stop"])
    monkeypatch.delattr(coverage.process_startup, "coverage")
    tracer.end_others(config(None))


@pytest.mark.no_cover
def test_what_is_marked_is_not_measured() -> None:
    assert not isinstance(sys.gettrace(), CTracer)


def test_one_process_measures_what_runs_as_tests_are_loaded() -> None:
    assert not tracer.loads_again(config(None))
    workers = [config(None, workerinput={"workerid": name}) for name in ("gw0", "gw1", "gw2")]
    assert [tracer.loads_again(worker) for worker in workers] == [False, True, True]


def test_an_untraced_process_keeps_all_but_what_has_it_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = tracer.untraced()
    monkeypatch.setenv("COVERAGE_PROCESS_CONFIG", "{}")
    assert tracer.untraced() == kept
    with pytest.MonkeyPatch.context() as patched:
        tracer.untrace(patched)
        assert dict(os.environ) == kept
    assert os.environ["COVERAGE_PROCESS_CONFIG"] == "{}"
