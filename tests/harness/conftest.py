"""What all tests of the harness share: settings, their order, and one browser a process."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same examples in every run, and no limit on seconds: tests state behaviour, not speed.
settings.register_profile("harness", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("harness")

HARNESS = Path(__file__).parent
LONGEST = ("nbgrader", "confined", "proof", "release", "cluster", "docs", "batch", "devices")
"""Folders whose tests start first, so that all processes of a run end at about the same time."""
SHARING = ("nbgrader", "confined", "docs")
"""Folders whose files share what takes long to make, so that one process has all of their tests."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones first; a file, or a folder that shares, in one process (`--dist loadgroup`)."""
    items.sort(key=lambda item: _rank(_place(item)[0]))
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            folder, *_ = place = _place(item)
            name = folder if folder in SHARING else "/".join(place)
            item.add_marker(pytest.mark.xdist_group(name))


def _place(item: pytest.Item) -> tuple[str, ...]:
    return item.path.relative_to(HARNESS).parts


def _rank(folder: str) -> int:
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)


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
