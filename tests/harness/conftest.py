"""What all tests of the harness share: settings, their order, and one browser a process."""

import os
import sys
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from harness import exhaustive, sharing, tracer

# jsonschema, which much here loads, would spend seconds on a grammar of addresses.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

if TYPE_CHECKING:
    from playwright.sync_api import Browser


LEFT = pytest.StashKey[int]()
"""How many tests a run leaves to CI."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--all`, as in `nox -s tests -- --all`."""
    parser.addoption("--all", action="store_true", help="leave no test to CI")


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected."""
    if not hasattr(config, "workerinput"):
        exhaustive.decide(config)
    # The same examples in every run, and no limit on seconds: tests state behaviour, not speed.
    examples = 25 if exhaustive.whole() else 10
    settings.register_profile("harness", derandomize=True, deadline=None, max_examples=examples)
    settings.load_profile("harness")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Before pytest-cov begins in a process of a run."""
    if hasattr(session.config, "workerinput"):
        tracer.end_others(session.config)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """All processes of a run load the same; one of them measures it."""
    with tracer.paused(session.config) if tracer.loads_again(session.config) else nullcontext():
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long ones first, and none that are left to CI."""
    config.stash[LEFT] = exhaustive.leave_out(config, items)
    sharing.sort(items)
    tracer.leave_out(items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Processes of a run tell the one that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left"] = session.config.stash.get(LEFT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """All of them collect the same."""
    node.config.stash[LEFT] = getattr(node, "workeroutput", {}).get("left", 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what did not run, and the command that runs it."""
    if left := config.stash.get(LEFT, 0):
        terminalreporter.write_line(exhaustive.told(left))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors, as one or another waits for a limit or a browser."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests that share what takes long to make run in one process."""
    return sharing.scheduler(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all processes of a run share; whoever writes to it takes a lock."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Debian's Chromium; tests of pages skip without it, or fail in CI."""
    from harness.figures.bench import FLAGS, chromium, missing

    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("tests of pages need playwright (pip install playwright)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()
