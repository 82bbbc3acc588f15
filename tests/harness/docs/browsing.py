"""Pages of the site in a browser, opened from files and watched for complaints."""

from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from harness.docs.site import Site


@dataclass
class Reader:
    """Opens pages, and keeps what they complain of: errors, and requests that leave the site."""

    browser: Browser
    site: Site
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(
        self,
        name: str,
        *,
        width: int = 1200,
        theme: Literal["light", "dark"] = "light",
        script: bool = True,
    ) -> Page:
        """A page of the site, such as ``stages/softmax`` or ``search?q=row``."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            java_script_enabled=script,
        )
        self.contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(3000)
        page.on("pageerror", self._complain)
        page.on("console", self._hear)
        page.on("request", self._see)
        page.goto(self.site.url(name))
        return page

    def close(self) -> None:
        """Close every page."""
        for context in self.contexts:
            context.close()

    def _complain(self, what: Any) -> None:
        self.complaints.append(str(what))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self._complain(message.text)

    def _see(self, request: Request) -> None:
        if not request.url.startswith((self.site.folder.as_uri(), "data:", "blob:")):
            self._complain(f"request to {request.url}")
