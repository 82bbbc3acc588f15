"""The built site over HTTP, to this machine only, with a script that asks for own numbers.

Nobody but the learner's own browser gets anything. The server listens on the loopback interface.
Every address begins with a random key, which programs of other users do not know and other
pages cannot read. The Host must be ours, so that no foreign name can be made to lead here, and who
asks for numbers must be a page of ours.
"""

from __future__ import annotations

import hmac
import io
import json
import secrets
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

from .board import Board

HOST = "127.0.0.1"
PATIENCE = 20.0
"""Seconds for which a page's question waits for newer numbers."""
MOST_BYTES = 200
"""The longest question of a page."""
SCRIPT = "/-/mine.js"
NUMBERS = "/-/mine"


@contextmanager
def serving(site: Path, board: Board) -> Iterator[str]:
    """Serve a built site while the block runs.

    Args:
        site: the folder of the built site.
        board: where the numbers for the figures are posted.

    Yields:
        The address of the front page.
    """
    key = secrets.token_urlsafe()
    server = _Server((HOST, 0), partial(Pages, key, board, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/{key}/index.html"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that was closed while it waited is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Pages(SimpleHTTPRequestHandler):
    """Answers one request: a file of the site, our script, or the newest numbers."""

    def __init__(self, key: str, board: Board, *args: Any, **kwargs: Any) -> None:
        self._prefix = f"/{key}"
        self._board = board
        super().__init__(*args, **kwargs)

    def parse_request(self) -> bool:
        """Read the request's head, and refuse whoever is not our own page or its reader."""
        if not super().parse_request():
            return False
        trouble = self._trouble()
        if trouble:
            self.send_error(HTTPStatus.FORBIDDEN, explain=trouble)
        else:
            self.path = self.path.removeprefix(self._prefix)
        return not trouble

    def _trouble(self) -> str:
        port = self.connection.getsockname()[1]
        if self.headers.get("Host") not in {f"{HOST}:{port}", f"localhost:{port}"}:
            return "This server answers under its own name only."
        key, _, _ = self.path[1:].partition("/")
        if not hmac.compare_digest(f"/{key}".encode(), self._prefix.encode()):
            return "The address lacks its key: open the one that the terminal shows."
        return ""

    def do_POST(self) -> None:
        """A page asks for numbers newer than those it has, and gets them when there are any."""
        seen = self._seen()
        if self.path != NUMBERS:
            self.send_error(HTTPStatus.NOT_FOUND)
        elif self.headers.get("Origin") != f"http://{self.headers['Host']}":
            self.send_error(HTTPStatus.FORBIDDEN, explain="Only a page from here may ask.")
        elif self.headers.get("Content-Type") != "application/json":
            self.send_error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, explain="Ask in JSON.")
        elif seen is None:
            self.send_error(HTTPStatus.BAD_REQUEST, explain='Expected {"seen": a number}.')
        else:
            text = json.dumps(self._board.newer(seen, PATIENCE), allow_nan=False)
            body = self._head(HTTPStatus.OK, "application/json", text.encode())
            self.copyfile(body, self.wfile)

    def _seen(self) -> int | None:
        """The number of the notice that the page has."""
        try:
            length = int(self.headers.get("Content-Length", ""))
            question = json.loads(self.rfile.read(length)) if 0 < length <= MOST_BYTES else None
        except ValueError:
            return None
        seen = question.get("seen") if isinstance(question, dict) else None
        return seen if isinstance(seen, int) else None

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """The head of an answer to GET or HEAD, and what follows it; pages get our script."""
        name = self.path.partition("?")[0]
        if name == SCRIPT:
            script = files(__package__).joinpath("static", "mine.js").read_bytes()
            return self._head(HTTPStatus.OK, "text/javascript; charset=utf-8", script)
        page = Path(self.translate_path(name))
        if name.endswith(".html") and page.is_file():
            return self._head(HTTPStatus.OK, "text/html; charset=utf-8", self._with_script(page))
        return super().send_head()

    def list_directory(self, path: Any) -> None:  # noqa: ARG002 - http.server passes it
        """No listings."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def _with_script(self, page: Path) -> bytes:
        """A page with our script, and with an icon, which is else asked for without the key."""
        ours = f'<link rel="icon" href="data:,"><script defer src="{self._prefix}{SCRIPT}">'
        return page.read_bytes().replace(b"</head>", f"{ours}</script></head>".encode())

    def _head(self, status: HTTPStatus, kind: str, body: bytes) -> io.BytesIO:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def end_headers(self) -> None:
        """What every answer says: it is for this site alone, and for now."""
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
        """Nothing: the terminal is the learner's."""


_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
