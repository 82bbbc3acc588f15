"""What may go wrong inside a submission, told without running anything of it."""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Frame:
    """One line of a submission that an exception passed through."""

    file: str
    line: int
    function: str
    text: str


class SubmissionError(Exception):
    """An exception that the submission raised in another process; here it is only text.

    Attributes:
        kind: the name of the exception's type, as the submission had it.
        text: the exception's message.
        frames: the submission's own lines that it passed through, the innermost last.
    """

    def __init__(self, kind: str, text: str, frames: tuple[Frame, ...] = ()) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.frames = frames


class SubmissionDied(SubmissionError):
    """The process that ran the submission ended: it crashed, left, or met a limit."""

    def __init__(self, text: str) -> None:
        super().__init__("SubmissionDied", text)


class SubmissionTimeout(SubmissionError):
    """The submission did not answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__("SubmissionTimeout", f"no answer within {seconds:g} s")
        self.seconds = seconds


class MissingName(AttributeError):
    """The submission's module does not define what the stage asks for."""

    def __init__(self, file: str, name: str) -> None:
        super().__init__(f"{file} does not define {name}. Was it renamed, or deleted?")


class ForbiddenOperation(RuntimeError):
    """The submission used a built-in operation that its stage asks it to build."""

    def __init__(self, group: str, operation: str) -> None:
        super().__init__(
            f"This stage is about building it yourself, so PyTorch's built-in {group} is refused "
            f"here. Your code reached {operation}."
        )
        self.group = group
        self.operation = operation


class ForbiddenName(RuntimeError):
    """The submission's text names a way around what its stage refuses."""

    def __init__(self, file: str, line: int, name: str) -> None:
        super().__init__(
            f"{file}, line {line}: {name} is refused in this stage, because it reaches behind "
            f"PyTorch's functions, or hides what it calls. The stage needs nothing of that kind."
        )


@cache
def remote_class(kind: str) -> type[SubmissionError]:
    """A class for an exception of another process: also the builtin that it was, if it was one.

    Only subclasses of `Exception` are made again, so that nothing a submission raises can be
    taken for an interrupt, an exit or one of pytest's own outcomes.
    """
    base = getattr(builtins, kind, None)
    if not (isinstance(base, type) and issubclass(base, Exception)):
        return SubmissionError
    if issubclass(base, UnicodeError | ExceptionGroup):  # their constructors want more than text
        return SubmissionError
    return type(f"Submission{kind}", (SubmissionError, base), {})


def builtin_base(kind: type[BaseException]) -> str:
    """The builtin exception that a class is, or that it extends most closely."""
    return next(base.__name__ for base in kind.__mro__ if base.__module__ == "builtins")


def own_frames(error: BaseException, files: Mapping[str, str]) -> tuple[Frame, ...]:
    """The frames of an exception that lie in the submission's files.

    Args:
        error: a live exception.
        files: file name to source text, for the files that belong to the submission.
    """
    found = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if file in files:
            lines = files[file].splitlines()
            text = lines[line - 1].strip() if line <= len(lines) else ""
            found.append(Frame(file, line, frame.f_code.co_name, text))
    if isinstance(error, SyntaxError) and error.filename and error.filename in files:
        found.append(Frame(error.filename, error.lineno or 0, "", (error.text or "").strip()))
    return tuple(found)
