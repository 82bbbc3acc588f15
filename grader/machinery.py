"""What to raise when the grader itself fails: it must never be taken for a verdict."""


class MachineryError(Exception):
    """The grader's own machinery failed. It says nothing about the submission: try again."""
