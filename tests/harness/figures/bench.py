"""A browser with the figures in it: pages made from memory, nothing fetched from anywhere."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.figures import bundle, figure_html, page_assets

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

ORIGIN = "http://figures.test"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROBE = Path(__file__).with_name("probe.js")


def missing(reason: str) -> None:
    """Skip for want of a tool, but never in CI, where it must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def chromium() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("the figures' tests need Chromium (Debian: apt-get install chromium)")
    return str(path)


def document(body: str, script: str | None = None, head: str = "") -> str:
    css, js = page_assets()
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Figure</title>'
        '<meta name="viewport" content="width=device-width">'
        "<style>body{margin:16px;background:Canvas}:root{color-scheme:light dark}"
        f"{css}</style>{head}</head><body><main><h1>Figure</h1>{body}</main>"
        f"<script>{js if script is None else script}</script></body></html>"
    )


@dataclass
class Bench:
    """Pages by setting, kept for the whole run; `show` puts a figure on one of them."""

    browser: "Browser"
    problems: list[str] = field(default_factory=list)
    html: str = ""
    _pages: dict[tuple[object, ...], "Page"] = field(default_factory=dict)

    def page(self, scheme: str, width: int, motion: str, script: bool) -> "Page":
        key = (scheme, width, motion, script)
        if key not in self._pages:
            options: Any = {"color_scheme": scheme, "reduced_motion": motion}
            context = self.browser.new_context(
                **options, viewport={"width": width, "height": 900}, java_script_enabled=script
            )
            self._pages[key] = self._watched(context)
        return self._pages[key]

    def _watched(self, context: "BrowserContext") -> "Page":
        context.set_default_timeout(3000)
        context.route("**/*", self._answer)
        context.add_init_script(path=PROBE)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("console", lambda message: self._note(message.type, message.text))
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.problems.append(f"console {kind}: {text}")

    def _answer(self, route: "Route") -> None:
        url = route.request.url
        if url == f"{ORIGIN}/":
            route.fulfill(body=self.html, content_type="text/html; charset=utf-8")
        elif url.startswith(f"{ORIGIN}/static/") and url.endswith(".mjs"):
            text = bundle.sources()[url.rsplit("/", 1)[1].removesuffix(".mjs")]
            route.fulfill(body=text, content_type="text/javascript; charset=utf-8")
        elif url.endswith("/favicon.ico"):
            route.fulfill(status=204)
        else:
            self.problems.append(f"request outside the page: {url}")
            route.abort()

    def show(
        self,
        name: str,
        *,
        mine: Mapping[str, object] | None = None,
        diagnosis: str | None = None,
        scheme: str = "light",
        width: int = 760,
        motion: str = "reduce",
        javascript: bool = True,
        script: str | None = None,
        address: str = "",
        head: str = "",
        after: str = "",
    ) -> "Page":
        """A fresh page with one figure, drawn."""
        page = self.page(scheme, width, motion, javascript)
        self.html = document(
            figure_html(name, mine=mine, diagnosis=diagnosis) + after, script, head
        )
        page.goto("about:blank")  # else a new address would be a jump inside the old page
        page.goto(f"{ORIGIN}/{address}")
        if javascript and script is None:
            page.wait_for_selector("[data-figure][data-ready]")
        return page


def read(page: "Page") -> Any:
    """What the figure shows: matrices by name, lit cells, the formula line, remarks, the focus."""
    return page.evaluate("probe.read()")


def put(page: "Page", key: str, value: object) -> None:
    page.evaluate(
        "([key, value]) => document.querySelector('.figure').model.set(key, value)", [key, value]
    )
