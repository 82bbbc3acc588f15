"""The course as an nbgrader assignment: its notebook, its grading, its feedback.

`check` is what a notebook's test cells call. Nothing else is imported here: a learner's notebook
needs neither nbgrader nor what grading needs.
"""

from .checking import check

__all__ = ["check"]
