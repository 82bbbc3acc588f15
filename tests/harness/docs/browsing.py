"""Pages of the site in a browser, opened from files and watched for complaints."""

from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from harness.docs.site import Site


@dataclass
class Reader:
    """Opens pages, and keeps what they complain of: errors, and requests that leave the site."""

    browser: Browser
    site: Site
    complaints: list[str] = field(default_factory=list)
    _pages: dict[bool, Page] = field(default_factory=dict)

    def open(
        self,
        name: str,
        *,
        width: int = 1200,
        theme: Literal["light", "dark"] = "light",
        script: bool = True,
    ) -> Page:
        """A page of the site, such as ``stages/softmax`` or ``search?q=row``, in place of the last.

        The last one with and the last one without a script are kept apart.
        """
        if script not in self._pages:
            self._pages[script] = self._watched(script)
        page = self._pages[script]
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(self.site.url(name))
        return page

    def _watched(self, script: bool) -> Page:
        page = self.browser.new_context(java_script_enabled=script).new_page()
        page.set_default_timeout(20_000)  # one that is reached is a failure, not a wait
        page.on("pageerror", self._complain)
        page.on("console", self._hear)
        page.on("request", self._see)
        return page

    def _complain(self, what: Any) -> None:
        self.complaints.append(str(what))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self._complain(message.text)

    def _see(self, request: Request) -> None:
        if not request.url.startswith((self.site.folder.as_uri(), "data:", "blob:")):
            self._complain(f"request to {request.url}")
