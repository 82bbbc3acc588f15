"""Running a submission: one interface, in this process or in a confined one."""

from .errors import ForbiddenOperation, SubmissionDied, SubmissionError, SubmissionTimeout
from .protocol import Subject

__all__ = [
    "ForbiddenOperation",
    "Subject",
    "SubmissionDied",
    "SubmissionError",
    "SubmissionTimeout",
]
