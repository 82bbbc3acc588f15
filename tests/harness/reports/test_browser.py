"""The pages in a browser: no outside request, room on a phone, nothing that axe complains of."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from grader.record import Status
from grader.reports.class_page import class_page
from grader.reports.html import Figures, student_page
from grader.reports.summary import ClassSummary
from harness import exhaustive
from harness.figures.bench import missing
from harness.records import ALICE, BOB, CONFINED, COURSE, EVE, EXAMPLE, TRUSTED, check

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Theme = Literal["light", "dark"]


def _class() -> str:
    summary = ClassSummary()
    for result in EXAMPLE.submissions:
        summary.add(result)
    return class_page(summary, COURSE, TRUSTED)


LONG = check("scores.x", "W" * 60, 4, Status.FAILED, "x" * 300 + "\n    " + "0.1234  " * 40)
WIDE = replace(ALICE, id="n" * 90, stages=(replace(ALICE.stages[0], checks=(LONG,)),))
PAGES = {
    "alice": lambda: student_page(ALICE, COURSE, CONFINED),
    "bob": lambda: student_page(BOB, COURSE, TRUSTED),
    "eve": lambda: student_page(EVE, COURSE, CONFINED),
    "wide": lambda: student_page(WIDE, COURSE, CONFINED),
    "class": _class,
}


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    found: list[str] = []
    yield found
    assert found == []


def _open(
    browser: "Browser", file: Path, complaints: list[str], width: int, theme: Theme
) -> "Page":
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url))
    page.goto(file.as_uri())
    assert complaints.pop(0) == file.as_uri()
    return page


@pytest.mark.parametrize(
    ("name", "theme"),
    exhaustive.sampled([(name, theme) for name in PAGES for theme in ("light", "dark")], 3),
)
def test_axe_finds_nothing(
    browser: "Browser", complaints: list[str], tmp_path: Path, name: str, theme: Theme
) -> None:
    try:
        from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
    except ImportError:
        missing("the pages' tests need axe (pip install axe-playwright-python)")
    file = tmp_path / "page.html"
    file.write_text(PAGES[name](), encoding="utf-8")
    page = _open(browser, file, complaints, 1200, theme)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_scrolls_in_one_direction(
    browser: "Browser", complaints: list[str], tmp_path: Path, name: str
) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGES[name](), encoding="utf-8")
    page = _open(browser, file, complaints, 380, "light")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") == 380
    page.close()


def test_print_shows_what_is_folded_away(
    browser: "Browser", complaints: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGES["alice"](), encoding="utf-8")
    page = _open(browser, file, complaints, 760, "light")
    height = "document.querySelector('details ul').checkVisibility({contentVisibilityAuto: true})"
    assert not page.evaluate(height)
    page.emulate_media(media="print")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(height)  # two frames later it is laid out for paper
    page.close()


def test_a_script_that_slipped_through_would_not_run(
    browser: "Browser", complaints: list[str], tmp_path: Path
) -> None:
    """Escaping is the first wall; this is the second, with the first one taken down on purpose."""
    slipped = Figures(
        {"softmax": "<script>window.ran = true</script>"}, script="window.ours = true"
    )
    file = tmp_path / "page.html"
    file.write_text(student_page(ALICE, COURSE, CONFINED, slipped), encoding="utf-8")
    page = _open(browser, file, complaints, 760, "light")
    assert page.evaluate("[window.ours, window.ran]") == [True, None]
    assert "Content Security Policy" in complaints.pop()
    page.close()
