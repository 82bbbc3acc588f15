"""What equal answers lead to is found out once: whoever answers the same gets the same again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from ..machinery import Unforeseen
from ..subject import Subject

Found = TypeVar("Found")


class Foreseen(Generic[Found]):
    """What was found from a subject's answers, by what was asked and by what was answered.

    Args:
        most: how much is kept; the oldest goes first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[tuple[str, str], Found] = {}

    def __call__(
        self, subject: Subject, name: str, seconds: float, find: Callable[[], Found]
    ) -> Found:
        """Have a subject answer all that is known to be asked, and find what follows from it.

        Args:
            subject: the submission.
            name: what it is asked, as it is foreseen by.
            seconds: how long all calls together may take.
            find: asks, and judges the answers; where it asks something else than was foreseen, it
                is called once more and asks live.
        """
        answers = subject.foresee(name, seconds)
        if answers is not None and (name, answers) in self._kept:
            subject.begin(seconds)  # the answers are for nothing else
            return self._kept[name, answers]
        try:
            found = find()
        except Unforeseen:
            return find()
        if answers is not None:
            self._keep((name, answers), found)
        return found

    def _keep(self, key: tuple[str, str], found: Found) -> None:
        if len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = found
