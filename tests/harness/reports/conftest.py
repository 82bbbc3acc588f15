"""A browser for the pages."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from harness.figures.bench import FLAGS, chromium, missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("the pages' tests need playwright (pip install playwright)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield started
        started.close()
