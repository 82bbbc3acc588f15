"""The site, built once for all processes of a run and without a network, and who reads it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from harness.docs.site import Site, build, need_package

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from harness.docs.browsing import Reader


@pytest.fixture(scope="session")
def site(shared: Path) -> Site:
    for package in ("sphinx", "myst_parser", "furo"):
        need_package(package)
    folder, built = shared / "site", shared / "site-built.txt"
    with FileLock(shared / "site.lock"):
        if not built.is_file():
            result = build(folder)
            assert result.returncode == 0, result.stdout + result.stderr
            built.touch()
    return Site(folder)


@pytest.fixture(scope="session")
def _reader(browser: "Browser", site: Site) -> "Reader":
    from harness.docs.browsing import Reader

    return Reader(browser, site)


@pytest.fixture
def reader(_reader: "Reader") -> Iterator["Reader"]:
    """Any error on a page it opened, or a request that left the site, fails the test."""
    _reader.complaints.clear()
    yield _reader
    assert not _reader.complaints
