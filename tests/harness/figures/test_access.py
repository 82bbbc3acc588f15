"""For every reader: keyboard, names, contrast, small screens, no motion, no script, paper."""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.figures import NAMES, figure_html
from harness import exhaustive
from harness.figures.bench import Bench, document, missing, put, read

if TYPE_CHECKING:
    from playwright.sync_api import Page

THEMES = {
    "furo": "document.body.dataset.theme = '{}'",
    "pydata": "document.documentElement.dataset.theme = '{}'",
    "jupyterlab": "document.body.dataset.jpThemeLight = String('{}' === 'light')",
}
AXE = """async (rules) => {
  const { violations } = await axe.run('main', { ...rules, resultTypes: ['violations'] });
  return violations.map((v) => [v.id, v.nodes.map((n) => n.html + ' ' + n.failureSummary)]);
}"""
EVERYTHING = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# A theme changes colours alone, and a small screen everything else, its ground included.
LOOKS = [("light", 1280, EVERYTHING), ("dark", 1280, COLOURS), ("dark", 380, EVERYTHING)]
GROUND = "getComputedStyle(document.querySelector('.f-root')).backgroundColor"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}


@pytest.fixture(scope="module")
def axe() -> str:
    try:
        return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    except ModuleNotFoundError:
        missing("the figures' tests need axe (pip install axe-playwright-python)")
        raise


def violations(page: "Page", axe: str, rules: dict[str, Any]) -> list[Any]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found: list[Any] = page.evaluate(AXE, rules)
    return found


def combined(*looks: tuple[Any, ...], every: int = 1) -> list[Any]:
    """Every figure in every look; a run that is not whole has every look, and so many figures."""
    return [
        (exhaustive.full, pytest.param)[number % len(looks) == which and number % every == 0](
            name, *look
        )
        for number, name in enumerate(NAMES)
        for which, look in enumerate(looks)
    ]


@pytest.mark.parametrize(("name", "scheme", "width", "rules"), combined(*LOOKS, every=2))
def test_axe_finds_nothing(
    bench: Bench, axe: str, name: str, scheme: str, width: int, rules: dict[str, Any]
) -> None:
    page = bench.show(name, scheme=scheme, width=width)
    for phase in exhaustive.some(range(6), 3) if name == "walkthrough" else [0]:
        put(page, "phase", phase)
        assert violations(page, axe, rules) == []


@pytest.mark.parametrize(
    ("name", "scheme", "rules"), combined(("light", EVERYTHING), ("dark", COLOURS), every=3)
)
def test_axe_finds_nothing_in_wrong_numbers_and_open_tables(
    bench: Bench, axe: str, name: str, scheme: str, rules: dict[str, Any]
) -> None:
    quantity = {"cloud": "scaled", "saturation": "raw", "scores": "S", "heatmap": "A"}.get(
        name, "Q"
    )
    sizes = {"cloud": (10, 240), "saturation": (10, 4), "scores": (2, 2)}.get(name, (4, 4))
    page = bench.show(
        name, mine={quantity: [[9] * sizes[1]] * sizes[0]}, diagnosis="Why?", scheme=scheme
    )
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert violations(page, axe, rules) == []


def test_axe_sees_what_it_is_asked_to_see(bench: Bench, axe: str) -> None:
    """A picture without a name, and text as pale as its ground: each found by its own rules."""
    pale = '<p style="color: #ccc; background: #fff">pale</p>'
    page = bench.show("projection", after=f'<img src="data:,">{pale}')
    found = [{id_ for id_, _ in violations(page, axe, rules)} for rules in (EVERYTHING, COLOURS)]
    assert found == [{"image-alt", "color-contrast"}, {"color-contrast"}]


@pytest.mark.parametrize("name", exhaustive.sampled(NAMES, 3))
def test_a_small_screen_scrolls_the_tables_and_not_the_page(bench: Bench, name: str) -> None:
    page = bench.show(name, width=380)
    for phase in exhaustive.some(range(6), 3) if name == "walkthrough" else [0]:
        put(page, "phase", phase)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380


# How many times Tab stops inside each figure: a grid, a formula, a slider, a switch, a group count
# once each.
STOPS = {"projection": 2, "scores": 3, "cloud": 2, "saturation": 2, "walkthrough": 5, "heatmap": 2}


@pytest.mark.parametrize("name", exhaustive.sampled(NAMES, 3))
def test_tab_leads_in_and_out(bench: Bench, name: str) -> None:
    page = bench.show(name, after='<a id="after" href="#after">after</a>')
    stops = 0
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.id") != "after":
        stops += 1
        assert page.evaluate("document.activeElement.closest('.f-root') !== null")
        assert page.evaluate("probe.outlines()") != ["none"] * 3, page.evaluate(
            "document.activeElement.outerHTML"
        )
        assert stops < 10
        page.keyboard.press("Tab")
    assert stops == STOPS[name]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("host", THEMES)
def test_the_host_s_theme_wins(bench: Bench, scheme: str, host: str) -> None:
    page = bench.show("projection", scheme=scheme)
    assert page.evaluate(GROUND) == GROUNDS[scheme]
    for wanted in ("light", "dark", "light"):
        page.evaluate(THEMES[host].format(wanted))
        assert page.evaluate(GROUND) == GROUNDS[wanted]


def test_marks_jump_where_motion_is_unwanted_and_walk_briefly_where_not(bench: Bench) -> None:
    duration = "getComputedStyle(document.querySelector('.f-cloud circle')).transitionDuration"
    assert bench.show("cloud", motion="reduce").evaluate(duration) == "0s"
    page = bench.show("cloud", motion="no-preference")
    assert 0 < float(page.evaluate(duration).removesuffix("s")) <= 0.3
    assert page.evaluate("probe.longest()") <= 0.3
    assert page.evaluate("document.getAnimations().length") == 0  # nothing moves by itself


@pytest.mark.parametrize("name", exhaustive.sampled(NAMES, 3))
def test_without_a_script_the_tables_stand(bench: Bench, name: str) -> None:
    page = bench.show(name, javascript=False)
    assert page.locator(".figure-fallback table").first.is_visible()
    assert page.locator(".figure-fallback .f-caption").is_visible()


@pytest.mark.parametrize("name", exhaustive.sampled(NAMES, 3))
def test_with_a_script_the_tables_are_for_paper(bench: Bench, name: str) -> None:
    page = bench.show(name)
    table, live = (
        page.locator(".figure-fallback"),
        page.locator(".figure > div:not(.figure-fallback)"),
    )
    assert (table.is_visible(), live.is_visible()) == (False, True)
    page.emulate_media(media="print")
    assert (table.is_visible(), live.is_visible()) == (True, False)
    page.emulate_media(media="screen")


def test_everything_works_from_a_file(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "figures.html"
    path.write_text(document("".join(map(figure_html, NAMES))), encoding="utf-8")
    page = bench.browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{path.as_uri()}#walkthrough-3")
    page.wait_for_selector('[data-figure="heatmap"][data-ready]', timeout=3000)
    assert page.locator("[data-ready]").count() == len(NAMES)
    page.get_by_role("button", name="Next").click()
    assert page.url.endswith("#walkthrough-4")
    assert errors == []
    page.close()


def test_a_figure_that_fails_leaves_its_tables(bench: Bench) -> None:
    page = bench.show("projection", script="")  # no script came
    assert page.locator(".figure-fallback").is_visible()


def test_status_lines_stay_and_speak(bench: Bench) -> None:
    """A live region must be the same element before and after, or nothing is read out."""
    page = bench.show("projection")
    page.evaluate("window.line = document.querySelector('.f-line')")
    page.locator('[data-matrix="Q"] button').first.click()
    assert page.evaluate("window.line === document.querySelector('.f-line')")
    assert page.locator(".f-line").get_attribute("role") == "status"
    assert read(page)["line"].startswith("Q[The, a determiner]")


def test_a_table_wider_than_its_place_can_be_scrolled_by_key(bench: Bench) -> None:
    page = bench.show("walkthrough", width=380, address="#walkthrough-5")
    region = page.get_by_role("region", name="The output of cat")
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    page.set_viewport_size({"width": 760, "height": 900})
    page.wait_for_function("!document.querySelector('.f-scroll[tabindex]')")
    page.set_viewport_size({"width": 380, "height": 900})
