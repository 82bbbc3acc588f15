"""The newest numbers, for pages that wait for newer ones than they have."""

from __future__ import annotations

import threading
from typing import Any

Notice = dict[str, Any]
"""What a page is told, JSON-ready; its number counts the notices so far."""


class Board:
    """Holds the newest notice. Anybody may wait for a newer one, from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._notice: Notice = {"number": 0}

    def post(self, notice: Notice) -> None:
        """Replace the notice by a newer one, and wake all who wait."""
        with self._changed:
            self._notice = {**notice, "number": self._notice["number"] + 1}
            self._changed.notify_all()

    def newer(self, seen: int, seconds: float) -> Notice | None:
        """A notice other than the one that was seen; None if there is none after some seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._notice["number"] != seen, seconds)
            return self._notice if self._notice["number"] != seen else None
