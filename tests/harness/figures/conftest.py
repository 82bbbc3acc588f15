"""Every test of a figure fails on a console error or an outside request."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from harness.figures.bench import Bench

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def _bench(browser: "Browser") -> Bench:
    return Bench(browser)


@pytest.fixture
def bench(_bench: Bench) -> Iterator[Bench]:
    _bench.problems.clear()
    yield _bench
    assert _bench.problems == []
