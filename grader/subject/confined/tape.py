"""A tape: a worker's answers to a script, for the check that will ask for them one by one."""

from __future__ import annotations

import hashlib

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
        self._replies: list[Reply] | None = None
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
        """The answer to the script's next request, or to a later one if those between are left out.

        The call gets the number that it has in the script, by which its gradients are asked for.

        Raises:
            Unforeseen: the rest of the script has no such request.
            SubmissionError: what happened instead of an answer.
            BadFrame: the answers are none.
        """
        found = (
            n for n in range(self._at, len(self._script)) if self._script[n].asks(header, memory)
        )
        number = next(found, None)
        if number is None:
            raise Unforeseen
        self._at = number + 1
        header["call"] = self._script[number].header["call"]
        if isinstance(self._raw, SubmissionError):
            raise self._raw
        if self._replies is None:
            self._replies = self._read(*frames.read(self._raw))
        return self._replies[number]

    def _read(self, header: Header, memory: Memory) -> list[Reply]:
        answers = header.get("answers")
        if not isinstance(answers, list) or len(answers) != len(self._script):
            raise BadFrame("not as many answers as questions")
        if not all(isinstance(answer, dict) for answer in answers):
            raise BadFrame("an answer that is not a JSON object")
        return list(zip(answers, apart(memory, len(answers)), strict=True))
