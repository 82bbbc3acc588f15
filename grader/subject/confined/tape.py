"""A tape: a worker's answers to a script, for the check that will ask for them one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from ...machinery import Unforeseen
from ..errors import SubmissionError
from . import frames
from .frames import BadFrame
from .scripts import Header, Memory, Script, apart

Reply = tuple[Header, Memory]


class Tape:
    """A worker's answers to a script, played to whoever asks for them in the script's order.

    Args:
        script: what was asked.
        raw: the frame that came, unread; or what happened instead of one.
    """

    def __init__(self, script: Script, raw: frames.Raw | SubmissionError) -> None:
        self._script = script
        self._raw = raw
        self._replies: Iterator[Reply] | None = None
        self._at = 0

    def digest(self) -> str | None:
        """Of all answers, byte by byte; None if something else happened."""
        if isinstance(self._raw, SubmissionError):
            return None
        return hashlib.sha256(b"".join(self._raw)).hexdigest()

    def has_errors(self) -> bool:
        """Whether the submission raised an exception somewhere."""
        return not isinstance(self._raw, SubmissionError) and b'"error"' in self._raw[0]

    def reply(self, header: Header, memory: Memory) -> Reply:
        """The answer to the script's next request.

        Raises:
            Unforeseen: something else is asked, or more.
            SubmissionError: what happened instead of an answer.
            BadFrame: the answers are none.
        """
        if self._at == len(self._script) or not self._script[self._at].asks(header, memory):
            raise Unforeseen
        self._at += 1
        if isinstance(self._raw, SubmissionError):
            raise self._raw
        if self._replies is None:
            self._replies = self._read(*frames.read(self._raw))
        return next(self._replies)

    def _read(self, header: Header, memory: Memory) -> Iterator[Reply]:
        answers = header.get("answers")
        if not isinstance(answers, list) or len(answers) != len(self._script):
            raise BadFrame("not as many answers as questions")
        if not all(isinstance(answer, dict) for answer in answers):
            raise BadFrame("an answer that is not a JSON object")
        return iter(list(zip(answers, apart(memory, len(answers)), strict=True)))
