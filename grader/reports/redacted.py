"""What a student may read of a result. This is the only place that decides it.

Of a hidden check a student sees title, verdict and points. Its message may hold inputs and
expected values that were drawn for it, so it stays with the instructor. The reason why a check
could not be judged speaks of the machine, and stays; so does the diagnosis, which speaks of the
student's own numbers.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..record import CheckResult, SubmissionResult
from ..retelling import Tell, retold


def for_student(result: SubmissionResult) -> SubmissionResult:
    """The result without hidden checks' messages and without the grader's own folders.

    All text comes back printable: a submission may have put anything into a message or a name.
    """
    cut = _cut_folder(result.path)

    def tidy(text: str) -> str:
        return cut(printable(text))

    def check(found: CheckResult) -> CheckResult:
        message = "" if found.hidden else tidy(found.message)
        return replace(found, title=tidy(found.title), message=message, reason=tidy(found.reason))

    told = retold(result, tidy, check)
    notes = tuple(map(tidy, result.notes))
    return replace(told, id=printable(result.id), path="", notes=notes)


def _cut_folder(path: str) -> Tell:
    """Where a submission lies on the grader's machine is no student's business."""
    folder = printable(path).rstrip("/\\")
    if not folder:
        return lambda text: text
    place = re.compile(rf"(?<![\w./\\-]){re.escape(folder)}[/\\]+")
    return lambda text: place.sub("", text)


_ESCAPE_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, all but tab and line ends
    "\u202a-\u202e\u2066-\u2069"  # they turn the direction of the text around them
    "\ud800-\udfff\ufffe\uffff]"  # no characters at all: neither UTF-8 nor XML can hold them
)


def printable(text: str) -> str:
    """Text that every format can hold: no terminal colours, a sign for what cannot be shown."""
    return _UNPRINTABLE.sub("\ufffd", _ESCAPE_SEQUENCES.sub("", text))
