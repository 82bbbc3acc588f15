"""The notebook in the kernels of VS Code and Colab: the verdict, with nothing but plain HTML.

JupyterLab is driven itself, see `nbgrader/test_lab.py`. The other two need an extension from a
shop and an account, so what they start a kernel with is made here, and what they show is held to
what both can show: one piece of HTML that runs no script and asks for nothing, and its text.
"""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from grader.release.bundle import Files
from grader.release.places import PLACES
from grader.release.writing import write
from harness import exhaustive
from harness.nbgrader.handing_in import COURSE, NAME, solution
from harness.release.kernels import EDITORS, run

WRONG = solution("softmax", ("dim=-1", "dim=-2"))


class Page(HTMLParser):
    """The tags of a piece of HTML, what it asks for, and the pages in its frames."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.asked: list[str] = re.findall(r"url\(|@import", html)
        self.handlers: list[str] = []
        self.frames: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("src", "href", "data") and not (value or "").startswith("#"):
                self.asked.append(f"{tag} {name}={value}")
            if name == "srcdoc":
                self.frames.append(value or "")
            if name.startswith("on"):
                self.handlers.append(f"{tag} {name}")


@pytest.fixture
def book(editor: str, files: Files, monkeypatch: pytest.MonkeyPatch) -> nbformat.NotebookNode:
    """The notebook for an editor's users, with a mistake in it, and only the cells that tell it."""
    monkeypatch.setattr("grader.release.places.bundle", lambda _: dict(files))
    made = PLACES[editor].files(COURSE) if editor in PLACES else files
    text = made[f"exercises/{NAME}"].decode()
    found: nbformat.NotebookNode = nbformat.reads(text, as_version=4)
    cells = {cell.id: cell for cell in found.cells}
    cells["softmax"].source = WRONG
    wanted = ("fetch", "setup", "softmax", "check-softmax", "all-stages")
    found.cells = [cells[id_] for id_ in wanted if id_ in cells]
    return found


@pytest.mark.parametrize("editor", exhaustive.sampled([*EDITORS], 2))
def test_a_check_shows_its_verdict_in_html_that_needs_nothing(
    editor: str,
    book: nbformat.NotebookNode,
    files: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, zipped = write(files, tmp_path / "made", "course")
    place = tmp_path / EDITORS[editor].zip_at
    place.mkdir(parents=True)
    shutil.copy(zipped, place / "course.zip")
    (tmp_path / "work").mkdir(exist_ok=True)
    run(EDITORS[editor], book, tmp_path, monkeypatch)
    nbformat.validate(book)
    shown = {cell.id: cell.outputs for cell in book.cells}
    assert shown["setup"] == []
    for cell in ("check-softmax", "all-stages"):
        [output] = shown[cell]
        assert output.output_type == "display_data"
        assert set(output.data) == {"text/html", "text/plain"}
        page = Page(output.data["text/html"])
        assert page.asked == page.handlers == []
        assert "script" not in page.tags
        assert all(Page(frame).asked == [] for frame in page.frames)
    assert "Still to be written: projection" in shown["all-stages"][0].data["text/plain"]
    verdict = shown["check-softmax"][0].data
    assert verdict["text/plain"].startswith("Row softmax: failed")
    for text in (verdict["text/plain"], verdict["text/html"].partition("<details")[0]):
        assert "every row must" in text  # whether or not the figure below it can run
