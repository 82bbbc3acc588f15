"""What to raise when the grader itself fails: it must never be taken for a verdict."""


class MachineryError(Exception):
    """The grader's own machinery failed. It says nothing about the submission: try again."""


class Unforeseen(MachineryError):
    """A check asked something else than it was known to ask; it has to begin anew."""


class Anew(MachineryError):
    """A stage has to be judged anew, in a process of its own; whoever opens it knows by now."""


class Stopped(Exception):
    """A run cannot go on. What was judged is kept; the message says what to do."""
