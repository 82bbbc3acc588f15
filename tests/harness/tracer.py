"""Where coverage is measured and where not: a tracer doubles the time that Python takes.

What only reaches lines of the grader that other tests reach as well goes without: the files in
`AGAIN`, tests that are marked `no_cover`, and some processes that tests start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import coverage
import pytest

VARIABLES = "COVERAGE_PROCESS"
"""What names in the environment begin with that have a new process measured."""

AGAIN = {
    "": "bad_input chain check commands record",
    "batch": "agreement grade judges rehearsal run store",
    "compare": "compare",
    "confined": "accelerators attacks ends zygote",
    "devices": "cheats cost gpu_suite",
    "diagnosis": "bank confined other_stages shelf",
    "docs": "browser links stage_pages",
    "figures": "access faults formula heatmap maths mine products spread walkthrough",
    "nbgrader": "submitted",
    "proof": "stability",
    "release": "bundle editors",
    "reports": "class_page exercism github html junit redacted tables",
    "suite": "probe_design right_answers wrong_attentions",
}
"""Folders, and those of their files of tests without which coverage is the same or nearly so.

They were found with `--cov-context=test`. Together they take half of the time of all tests, and
without all of them coverage loses less than half a per cent.
"""
_AGAIN = {
    (*filter(None, [folder]), f"test_{name}.py")
    for folder, names in AGAIN.items()
    for name in names.split()
}


def untraced() -> dict[str, str]:
    """The environment for a process that is not measured."""
    return {k: v for k, v in os.environ.items() if not k.startswith(VARIABLES)}


def untrace(patched: pytest.MonkeyPatch) -> None:
    """Measure none of the processes that are started from now on."""
    for name in os.environ.keys() - untraced().keys():
        patched.delenv(name)


def end_others(config: pytest.Config) -> None:
    """End what measures a process of a run already, before pytest-cov begins with its tests.

    The process was begun as any process of the tests is, and pytest-cov has begun once as in a run
    of one process. Wherever it pauses later, these would go on.
    """
    if controller := _controller(config):
        controller.pause()
    if begun := getattr(coverage.process_startup, "coverage", None):
        begun.stop()


@contextmanager
def paused(config: pytest.Config) -> Iterator[None]:
    """Measure nothing in this process, if anything is measured here."""
    controller = _controller(config)
    if controller:
        controller.pause()
    try:
        yield
    finally:
        if controller:
            controller.resume()


def _controller(config: pytest.Config) -> Any:
    plugin = config.pluginmanager.getplugin("_cov")
    return plugin and plugin.cov_controller


def loads_again(config: pytest.Config) -> bool:
    """Whether another process of a run measures what runs when the tests are loaded."""
    worker: str = getattr(config, "workerinput", {}).get("workerid", "gw0")
    return worker != "gw0"


def leave_out(items: Iterable[pytest.Item]) -> None:
    """Measure no test of the files in `AGAIN`."""
    for item in items:
        if tuple(item.nodeid.partition("::")[0].split("/")[2:]) in _AGAIN:
            item.add_marker("no_cover")
