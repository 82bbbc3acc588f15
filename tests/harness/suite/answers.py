"""Answers to a stage that are known to be wrong, as data for the suites' tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wrong:
    """One wrong answer, and what must be said of it."""

    name: str
    text: str
    """The module as a learner would hand it in."""
    check: str
    """A check that must not pass."""
    reason: tuple[str, ...]
    """What that check's message must name."""


def indented(body: str) -> str:
    """Lines of a function's body, indented."""
    return "".join(f"    {line}\n" for line in body.splitlines())
