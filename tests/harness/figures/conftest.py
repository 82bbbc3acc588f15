"""One browser for all figures' tests; every test fails on a console error or an outside request."""

from collections.abc import Iterator

import pytest

from harness.figures.bench import FLAGS, Bench, chromium, missing


@pytest.fixture(scope="session")
def _bench() -> Iterator[Bench]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("the figures' tests need playwright (pip install playwright)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield Bench(browser)
        browser.close()


@pytest.fixture
def bench(_bench: Bench) -> Iterator[Bench]:
    _bench.problems.clear()
    yield _bench
    assert _bench.problems == []
