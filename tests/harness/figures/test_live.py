"""The site with the learner's own numbers: wrong, failing, late, mended; and who may see them."""

import http.client
import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from grader.course import CourseError, load
from grader.diagnosis.bank import sources, stage_module
from grader.figures import NAMES, figure_html
from grader.live import live
from grader.live.board import Board
from grader.live.server import serving
from grader.machinery import MachineryError
from grader.submission import IntakeError
from harness.figures.bench import Bench, document

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[3]
COURSE = load(ROOT)
SOLVED = {name: (ROOT / f"solutions/{name}.py").read_text("utf-8") for name in COURSE.names}

# The first stages have a known mistake each, mixing never ends, and residual cannot be loaded.
KNOWN = ("projection/bias_of_ones", "scores/keys_first", "scaling/by_d_k", "softmax/columns")
SLEEPS = "    import time; time.sleep(60)\n    ### BEGIN"
WRONG = {"projection": "Q", "scores": "S", "cloud": "scaled", "saturation": "raw"}


def mistaken(id_: str) -> tuple[str, str]:
    """A known mistake as a whole module, and its sentence."""
    stage = COURSE.stage(id_.partition("/")[0])
    bank = stage_module(COURSE, "mistakes", stage).MISTAKES
    mistake = next(mistake for mistake in bank if mistake.id == id_)
    return sources(COURSE, stage, mistake).texts[stage.name], mistake.sentence


SENTENCES = {id_.partition("/")[0]: mistaken(id_)[1] for id_ in KNOWN}


def hand_in(folder: Path) -> None:
    folder.mkdir()
    texts = {
        **SOLVED,
        **{id_.partition("/")[0]: mistaken(id_)[0] for id_ in KNOWN},
        "mixing": SOLVED["mixing"].replace("    ### BEGIN", SLEEPS),
        "residual": SOLVED["residual"] + "\nprint(stream_of_the_residual)\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site: all figures on one page, nothing on another, and a file beside them."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "inner").mkdir()
    page = document("".join(map(figure_html, NAMES)))
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "inner/page.html").write_text("<head></head>text", encoding="utf-8")
    (folder / "site.css").write_text("p { margin: 0 }", encoding="utf-8")
    return folder


@contextmanager
def running(folder: Path, site: Path) -> Iterator[str]:
    """The command in a thread, until the block ends; gives the address that it tells."""
    stop, said = threading.Event(), queue.SimpleQueue[str]()
    # Only what never ends may run out of time, however busy this machine is.
    limits = {name: 1 if name == "mixing" else 60 for name in COURSE.names}
    stages = tuple(replace(stage, seconds=limits[stage.name]) for stage in COURSE.stages)
    course = replace(COURSE, stages=stages)
    thread = threading.Thread(target=live, args=(course, folder, site, said.put, stop))
    thread.start()
    try:
        yield said.get(timeout=120)
    finally:
        stop.set()
        thread.join()


def notes(page: "Page", name: str) -> list[str]:
    found: list[str] = page.locator(f'[data-figure="{name}"] .f-notes p').all_inner_texts()
    return found


def plain(sentence: str) -> str:
    return sentence.replace("*", "").replace("`", "").replace("_", "")


def test_own_numbers_in_every_figure(bench: Bench, tmp_path: Path, site: Path) -> None:
    folder = tmp_path / "own"
    hand_in(folder)
    with running(folder, site) as address:
        page = bench.browser.new_page()
        page.set_default_timeout(120_000)
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.goto(address)
        for name in WRONG:
            page.wait_for_selector(f'[data-figure="{name}"] .f-diagnosis')
        for name, quantity in WRONG.items():
            first, *rest = notes(page, name)
            assert "differ from the reference; they are marked ≠." in first, quantity
            assert rest, name
            assert page.locator(f'[data-figure="{name}"] .is-wrong').count() > 0
            radios = page.locator(f'[data-figure="{name}"]').get_by_role("radio")
            assert [radio.get_attribute("value") for radio in radios.all()][:2] == ["0", "1"]
        told = {"projection": "projection", "scores": "scores", "cloud": "scaling"}
        for name, stage in {**told, "saturation": "softmax"}.items():
            assert plain(notes(page, name)[-1]) == plain(SENTENCES[stage])

        _the_heatmap(page)
        _the_walkthrough(page)
        _a_save_is_followed(page, folder)
        assert problems == []
        page.close()


def _the_heatmap(page: "Page") -> None:
    """Weights of a wrong softmax, and an output that never comes."""
    wrong, late, sentence = notes(page, "heatmap")
    assert wrong.startswith("In your A, ")
    assert late.startswith("Your O could not be computed. Too slow: no answer within 1 s.")
    assert plain(sentence) == plain(SENTENCES["softmax"])


def _the_walkthrough(page: "Page") -> None:
    """Each phase tells of its own stage, and goes on."""
    figure = page.locator('[data-figure="walkthrough"]')
    stages = ["projection", "scores", "scaling", "softmax"]
    for stage in stages:
        assert plain(notes(page, "walkthrough")[-1]) == plain(SENTENCES[stage])
        figure.get_by_role("button", name="Next").click()
    assert notes(page, "walkthrough")[0].startswith("Your O could not be computed. Too slow")
    figure.get_by_role("button", name="Next").click()
    stopped = notes(page, "walkthrough")[0]
    assert "NameError: name 'stream_of_the_residual' is not defined" in stopped
    assert "residual.py, line " in stopped
    assert figure.locator('[data-matrix="Y"] td.f-cell').count() == 32


def _a_save_is_followed(page: "Page", folder: Path) -> None:
    """The page stays, and what was chosen in it stays."""
    page.locator('[data-figure="scores"]').get_by_role("button", name="S, cat, cat").click()
    (folder / "scores.py").write_text(SOLVED["scores"], encoding="utf-8")
    page.wait_for_function(
        """() => document.querySelector('[data-figure="scores"] .f-notes').textContent
            === 'In your S, all 4 numbers agree with the reference.'"""
    )
    figure = page.locator('[data-figure="scores"]')
    assert "S, cat, cat" in str(figure.locator('[aria-pressed="true"]').get_attribute("aria-label"))
    figure.get_by_role("radio", name="reference").check()
    assert notes(page, "scores") == []
    assert "own" in page.locator("p.live").first.inner_text()


class Caller:
    """Asks a server by hand, as any program may."""

    def __init__(self, address: str) -> None:
        self.parts = urlsplit(address)
        self.key = self.parts.path.split("/")[1]
        self.numbers = f"/{self.key}/-/mine"

    def __call__(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.parts.netloc, timeout=30)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def ask(self, seen: object = 0, **changed: str) -> tuple[int, str]:
        """The question of a page, with some of its head changed."""
        head = {"Origin": f"http://{self.parts.netloc}", "Content_Type": "application/json"}
        return self("POST", self.numbers, json.dumps({"seen": seen}), **{**head, **changed})


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def caller(site: Path, board: Board) -> Iterator[Caller]:
    with serving(site, board) as address:
        yield Caller(address)


def test_pages_get_the_script_and_other_files_are_as_they_are(caller: Caller, site: Path) -> None:
    status, page = caller("GET", caller.parts.path)
    script = f"/{caller.key}/-/mine.js"
    assert status == 200
    assert page.count(f'<script defer src="{script}"></script></head>') == 1
    assert script in caller("GET", f"/{caller.key}/inner/page.html?x=1")[1]
    assert caller("GET", script)[1].startswith("// On a page that is served live")
    assert caller("GET", f"/{caller.key}/site.css") == (200, (site / "site.css").read_text())
    assert caller("HEAD", caller.parts.path) == (200, "")


def test_whoever_asks_for_newer_numbers_gets_them_when_they_are_there(
    caller: Caller, board: Board
) -> None:
    board.post({"figures": "first"})
    assert caller.ask() == (200, '{"figures": "first", "number": 1}')
    threading.Timer(0.2, board.post, [{"figures": "second"}]).start()
    assert json.loads(caller.ask(seen=1)[1]) == {"figures": "second", "number": 2}


def test_who_has_the_newest_numbers_is_sent_home(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.live.server.PATIENCE", 0.01)
    assert caller.ask(seen=0) == (200, "null")


FOREIGN = ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "", "[::1]:80"]


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_foreign_host_gets_nothing(caller: Caller, host: str, method: str) -> None:
    path = caller.numbers if method == "POST" else caller.parts.path
    status, text = caller(method, path, "{}" if method == "POST" else None, Host=host)
    assert status == 403
    assert "figure" not in text


@pytest.mark.parametrize("path", ["/", "/index.html", "/-/mine", "/wrong-key/index.html", "//x"])
def test_without_the_key_there_is_nothing(caller: Caller, path: str) -> None:
    status, text = caller("GET", path)
    assert status == 403
    assert "open the one that the terminal shows" in text
    assert caller.key not in text


def test_only_a_page_of_ours_may_ask(caller: Caller, board: Board) -> None:
    board.post({"figures": "own"})
    assert caller.ask()[0] == 200
    for origin in ("http://evil.example", "null", f"https://{caller.parts.netloc}"):
        assert caller.ask(Origin=origin)[0] == 403
    assert caller("POST", caller.numbers, '{"seen": 0}')[0] == 403  # no Origin
    assert caller.ask(Content_Type="text/plain")[0] == 415
    assert caller("POST", f"/{caller.key}/index.html", "{}")[0] == 404
    for seen in (None, "0", [0]):
        assert caller.ask(seen=seen)[0] == 400
    assert caller.ask(seen="x" * 1000)[0] == 400
    assert caller.ask(Content_Length="-1")[0] == 400
    assert caller("PUT", caller.numbers)[0] == 501


@pytest.mark.parametrize(
    "path", ["/../secret", "/%2e%2e/secret", "/inner/../../secret", "/inner", "/inner/"]
)
def test_nothing_outside_the_site_and_no_listings(caller: Caller, site: Path, path: str) -> None:
    (site.parent / "secret").write_text("secret", encoding="utf-8")
    status, text = caller("GET", f"/{caller.key}{path}")
    assert status in {301, 404}
    assert "secret" not in text
    assert "page.html" not in text


def test_other_interfaces_do_not_reach_it(caller: Caller) -> None:
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in {"127.0.0.2", *map(str, own)} - {"127.0.0.1"}:
        with (
            pytest.raises(ConnectionRefusedError),
            socket.create_connection((address, caller.parts.port), 5),
        ):
            pass


def test_a_folder_or_a_site_that_is_not_there_is_said(tmp_path: Path, site: Path) -> None:
    with pytest.raises(IntakeError, match="nowhere is not there"):
        live(COURSE, tmp_path / "nowhere", site, print)
    with pytest.raises(CourseError, match="Build it: nox -s docs"):
        live(COURSE, tmp_path, tmp_path, print)


def test_machinery_that_fails_is_told_on_the_page(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise MachineryError("no process could be had")

    monkeypatch.setattr("grader.live.command.ladder.start", lambda **_: nullcontext())
    monkeypatch.setattr("grader.live.numbers.Numbers.of", fail)
    (tmp_path / "own").mkdir()
    with running(tmp_path / "own", site) as address:
        deadline, told = time.monotonic() + 60, ""
        while not told and time.monotonic() < deadline:
            told = Caller(address).ask()[1]
    assert json.loads(told)["trouble"] == "no process could be had"
