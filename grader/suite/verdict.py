"""From what a check raised to a verdict in words for the learner."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ..record import OUT_OF_TIME, CheckResult, Status
from ..subject.errors import Frame, SubmissionError, SubmissionTimeout, own_frames
from .asked import Mismatch
from .checks import Check

PRINTED_LINES = 8
"""How much of a submission's own output goes into a message."""


def of_success(check: Check, remarks: Sequence[str]) -> CheckResult:
    """A passed check, with the remarks that it made."""
    return check.result(Status.PASSED, "\n".join(remarks))


def of_failure(
    check: Check, caught: pytest.ExceptionInfo[BaseException], printed: str = ""
) -> CheckResult:
    """A check that did not pass: failed, an error in the submission, or not judged here.

    Args:
        check: the check.
        caught: what it raised.
        printed: what the submission printed meanwhile; its end goes into the message.
    """
    error = caught.value
    if isinstance(error, pytest.skip.Exception):
        return check.result(Status.NOT_JUDGED, reason=str(error.msg))
    if isinstance(error, AssertionError) and not _is_the_submissions(error):
        status, message = Status.FAILED, caught.exconly()
        message = str(error) if isinstance(error, Mismatch) else message
    else:
        status = Status.ERROR
        message = _too_slow(check, error) if _timed_out(error) else told(error)
    return check.result(status, message + _end_of(printed))


def _end_of(printed: str) -> str:
    """The last lines of what was printed, short enough for a screen."""
    lines = printed[-4000:].splitlines()[-PRINTED_LINES:]
    shown = "\n".join(f"    {line[:100]}" for line in lines)
    return f"\n\nYour code printed, at the end:\n{shown}" if lines else ""


def told(error: BaseException) -> str:
    """An exception in the submission's code: the call, the exception in words, and its line."""
    frames = error.frames if isinstance(error, SubmissionError) else _live_frames(error)
    kind = error.kind if isinstance(error, SubmissionError) else type(error).__name__
    text = str(error)
    if unwritten(error):
        return "\n".join([f"{NOT_WRITTEN}: {text}".rstrip(": "), *_where(frames)])
    head = _HEADS.get(kind, "{kind}: {text}").format(kind=kind, text=text).rstrip(": ")
    # A name that is missing does not depend on what a function was called with.
    call = [] if kind == "MissingName" else getattr(error, "__notes__", [])[-1:]
    return "\n".join([*call, head, *_where(frames)])


def unwritten(error: BaseException) -> bool:
    """Whether it says that the submission still has to write something.

    PyTorch raises the same exception where it has no such operation for a dtype; what a stub has is
    a `raise` of its own.
    """
    frames = error.frames if isinstance(error, SubmissionError) else _live_frames(error)
    kind = error.kind if isinstance(error, SubmissionError) else type(error).__name__
    return kind == "NotImplementedError" and bool(frames) and "raise" in frames[-1].text.split()


NOT_WRITTEN = "Not written yet"
_HEADS = {
    "MissingName": "{text}",
    "ForbiddenOperation": "{text}",
    "SubmissionDied": "{text}",
    "SubmissionTimeout": "Too slow: {text}. Does a loop never end, or grow too large?",
}
"""Exceptions whose text says it all, or that mean something of their own here."""


def _where(frames: Sequence[Frame]) -> list[str]:
    if not frames:
        return []
    last = frames[-1]
    function = f", in {last.function}" if last.function and last.function != "<module>" else ""
    return [f"  {last.file}, line {last.line}{function}:", f"    {last.text}"]


def _live_frames(error: BaseException) -> tuple[Frame, ...]:
    from ..subject.package import loaded_files  # only an error needs it

    return own_frames(error, loaded_files())


def _is_the_submissions(error: BaseException) -> bool:
    return isinstance(error, SubmissionError) or bool(_live_frames(error))


def _timed_out(error: BaseException) -> bool:
    own = isinstance(error, pytest.fail.Exception) and "pytest-timeout" in str(error.msg)
    return own or isinstance(error, SubmissionTimeout)


def _too_slow(check: Check, error: BaseException) -> str:
    frames = error.frames if isinstance(error, SubmissionError) else _live_frames(error)
    seconds = error.seconds if isinstance(error, SubmissionTimeout) else check.seconds
    head = f"{OUT_OF_TIME} {round(seconds, 1):g} s. Does a loop never end, or grow too large?"
    return "\n".join([head, *_where(frames)])
