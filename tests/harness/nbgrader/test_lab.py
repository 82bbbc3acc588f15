"""A student's and an instructor's way through JupyterLab, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.nbgrader import intake
from harness.nbgrader.graded import Graded
from harness.nbgrader.handing_in import COURSE, NAME, solution
from harness.nbgrader.lab import lab

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 90_000
"""Milliseconds to wait for what is on its way; machines that test are busy."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1400, "height": 1000})
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


@pytest.mark.exhaustive  # stock kernels and the graded class keep its parts
def test_a_student_and_an_instructor_in_jupyterlab(
    graded: Graded, page: Page, tmp_path: Path
) -> None:
    mine = graded.folder / "mine"
    shutil.copytree(graded.folder / "release" / COURSE.name, mine, dirs_exist_ok=True)
    with lab(graded.folder, tmp_path) as address:
        sentence = fill_and_check(page, f"{address}/lab/tree/mine/{NAME}")
        assert sentence.split(".")[0] in graded.comments["columns"]["softmax"]
        assert_formgrader_shows(page, address, graded)


def fill_and_check(page: Page, notebook: str) -> str:
    """Write an answer into a cell, run it and its check, and read what comes."""
    page.goto(notebook)
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first.wait_for()
    run(page, "Looks for the course")
    answer = solution("softmax", ("dim=-1", "dim=-2"))
    run(page, "# Stage 4", answer.replace("    ###", "    #"))
    run(page, 'check("softmax")')
    return page.locator(".grader-cell .sentence").first.inner_text()


def run(page: Page, holding: str, text: str = "") -> None:
    """Run the cell that holds some text, with other text in it if there is any."""
    cell = page.locator(".jp-CodeCell", has_text=holding).first
    cell.locator(".cm-content").click()
    if text:
        page.keyboard.press("Control+a")
        page.evaluate("text => document.execCommand('insertText', false, text)", text)
    while "]:" not in (prompt := cell.locator(".jp-InputPrompt").inner_text()) or prompt == "[ ]:":
        cell.locator(".cm-content").click()  # a kernel that is still starting runs nothing
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(2000)


def assert_formgrader_shows(page: Page, address: str, graded: Graded) -> None:
    """Scores in formgrader, after its own button has graded somebody again."""
    page.goto(f"{address}/formgrader/manage_submissions/{COURSE.name}")
    row = page.locator("tr", has=page.get_by_text(intake.RIGHT, exact=True)).first
    row.wait_for()
    assert f"{graded.total(intake.RIGHT):g}" in row.inner_text()
    row.locator(".autograde a, a:has(.glyphicon-flash)").first.click()
    told = page.locator(".modal-dialog", has_text="Success")
    told.wait_for()
    assert "autograded" in told.inner_text().lower()
