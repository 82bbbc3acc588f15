"""The site, built once without a network, and a browser to read it with."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from harness.docs.site import Site, build, need_package
from harness.figures.bench import FLAGS, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from harness.docs.browsing import Reader


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    for package in ("sphinx", "myst_parser", "furo"):
        need_package(package)
    folder = tmp_path_factory.mktemp("site")
    result = build(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return Site(folder)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    need_package("playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def reader(browser: "Browser", site: Site) -> Iterator["Reader"]:
    """Any error on a page it opened, or a request that left the site, fails the test."""
    from harness.docs.browsing import Reader

    reader = Reader(browser, site)
    yield reader
    reader.close()
    assert not reader.complaints
