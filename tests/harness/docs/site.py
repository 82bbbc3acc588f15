"""Building the site, and reading what was built."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from harness.figures.bench import missing
from harness.tracer import untraced

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


def need_package(name: str) -> None:
    """Skip the test, or fail it in CI, where a package is not installed."""
    if importlib.util.find_spec(name) is None:
        missing(f"the site's tests need {name}")


# A network of one's own with nobody in it, where the system allows that to everybody.
_ALONE = ["unshare", "--map-root-user", "--net", "--"]


def without_network() -> list[str]:
    """What to put before a command so that it runs without a network; empty where impossible."""
    try:
        tried = subprocess.run([*_ALONE, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return _ALONE if tried.returncode == 0 else []


def build(target: Path, source: Path = DOCS) -> subprocess.CompletedProcess[str]:
    """Build a folder of pages with the site's configuration; a warning is an error."""
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-E"]
    places: list[str | Path] = ["-c", DOCS, "-d", target / ".doctrees", source, target]
    return subprocess.run(
        [*without_network(), *sphinx, "-b", "html", *places],
        cwd=ROOT,
        env=untraced(),  # tests of figures reach the same lines of the grader
        capture_output=True,
        text=True,
        check=False,
    )


@dataclass(frozen=True)
class Site:
    """A built site in a folder."""

    folder: Path

    def url(self, name: str) -> str:
        """The address of a page, a query or an anchor included, as a file."""
        path, mark, rest = name.partition("?")
        return (self.folder / f"{path}.html").as_uri() + mark + rest

    @cached_property
    def pages(self) -> dict[str, "BeautifulSoup"]:
        """Every page by its name, such as ``stages/softmax``."""
        from bs4 import BeautifulSoup  # furo brings it along

        return {
            path.relative_to(self.folder).with_suffix("").as_posix(): BeautifulSoup(
                path.read_text(encoding="utf-8"), "html.parser"
            )
            for path in sorted(self.folder.rglob("*.html"))
        }

    def links(self, name: str, selector: str = "a[href]") -> Iterator[tuple[str, str]]:
        """The links of a page into the site, each as a page's name and an anchor."""
        for link in self.pages[name].select(selector):
            address, anchor = urldefrag(str(link["href"]))
            if "://" in address:
                continue
            target = (self.folder / name).parent / address if address else self.folder / name
            inside = target.resolve().relative_to(self.folder.resolve())
            yield inside.as_posix().removesuffix(".html"), anchor
