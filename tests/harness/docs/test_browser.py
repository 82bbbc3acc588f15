"""The site in a browser, opened from a folder: two themes, three widths, keyboard, no script."""

from typing import TYPE_CHECKING, Literal

import pytest

from harness import exhaustive
from harness.docs.site import Site, need_package

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from harness.docs.browsing import Reader

# A theme changes colours alone, and a small screen everything else.
LOOKS: list[tuple[Literal["light", "dark"], int, dict[str, object]]] = [
    ("light", 1200, {}),
    ("dark", 1200, {"runOnly": ["color-contrast"]}),
    ("light", 380, {"rules": {"color-contrast": {"enabled": False}}}),
]
# Figures have tests of their own, in every phase.
WITHOUT_FIGURES = {"include": [["html"]], "exclude": [["figure.figure"]]}
WIDTHS = (1200, 760, 380)

SAMPLE = [
    "index",
    "learn/example",
    "learn/implementation",
    "stages/softmax",
    "reference/record",
    "search",
]


def test_every_page_opens_without_complaint_at_every_width(site: Site, reader: "Reader") -> None:
    """The fixture adds: no error on any page, and no request that leaves the folder.

    A run that is not whole opens every twelfth page.
    """
    for name in exhaustive.some(site.pages, 12):
        page = reader.open(name)
        assert page.locator("h1").count() == 1, name
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("row_softmax", "stages/softmax"),
        ("saturates", "learn/scaling"),
        ("gradebook", "guides/instructor"),
        ("isolation", "reference/record"),
    ],
)
def test_search_finds_from_a_folder(reader: "Reader", words: str, page: str) -> None:
    found = reader.open(f"search?q={words}").locator("#search-results ul.search")
    found.locator(f'a[href*="{page}"]').first.wait_for()


@pytest.mark.parametrize("name", exhaustive.sampled(SAMPLE, 3))
def test_accessible_in_both_themes_and_narrow(reader: "Reader", name: str) -> None:
    need_package("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    page = reader.open(name)
    page.evaluate("document.querySelectorAll('details').forEach(block => { block.open = true; })")
    for theme, width, rules in LOOKS:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        # axe would fetch the style sheets, which a page from a folder may not.
        options = {"preload": False, "resultTypes": ["violations"], **rules}
        result = Axe().run(page, WITHOUT_FIGURES, options)
        assert result.violations_count == 0, (theme, width, result.generate_report())


def test_formulas_are_drawn_with_the_font_that_came_along(reader: "Reader") -> None:
    page = reader.open("learn/scaling")
    assert page.evaluate(
        "document.fonts.ready.then(() => document.fonts.check('16px \"STIX Two Math\"'))"
    )
    formulas = page.locator(".formula math")
    assert formulas.count() > 0
    for box in (formula.bounding_box() for formula in formulas.all()):
        assert box is not None
        assert box["height"] > 10


def test_a_root_covers_what_is_under_it(reader: "Reader") -> None:
    """Without a font for mathematics the root sign would not stretch."""
    page = reader.open("stages/scaling")
    root = page.locator(".formula msqrt").first.bounding_box()
    inside = page.locator(".formula msqrt > *").first.bounding_box()
    assert root is not None
    assert inside is not None
    assert root["width"] > inside["width"]
    assert root["height"] > inside["height"]


def test_a_hint_opens_by_keyboard(reader: "Reader") -> None:
    page = reader.open("stages/softmax")
    hint = page.locator("details.hint").first
    body = hint.locator("p").first
    assert not body.is_visible()
    hint.locator("summary").focus()
    page.keyboard.press("Enter")
    assert body.is_visible()


def test_without_a_script_nothing_is_lost(reader: "Reader") -> None:
    page = reader.open("stages/softmax", script=False)
    assert page.locator("figure table td").first.is_visible()
    page.locator("details.hint summary").first.click()
    assert page.locator("details.hint p").first.is_visible()
    assert page.locator(".formula math").first.is_visible()


def test_the_front_page_says_it_in_one_screen(reader: "Reader") -> None:
    page = reader.open("index")
    for part in ("pre", ".readers", "figure"):
        box = page.locator(f"article {part}").first.bounding_box()
        assert box is not None
        assert box["y"] < 900, part


def test_the_themes_differ(reader: "Reader") -> None:
    def background(page: "Page") -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert background(reader.open("index")) != background(reader.open("index", theme="dark"))
