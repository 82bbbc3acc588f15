"""How many processes judge, where nobody said."""

from __future__ import annotations

PAYS = 40
"""Submissions for which one more process that judges is worth starting.

It takes about 5.5 CPU seconds to be ready, half of them for the process that workers are forked
from, and a submission 0.13 to 0.25 (`nox -s bench -- nbgrader` and `-- grade`, 30 November 2026).
So it pays from 22 to 42 more of them on, and 24 students are judged sooner by one process than by
two. Rather a little late: the start costs processor time, and waiting for one's turn does not.
"""


def number(asked: int, submissions: int, processors: int) -> int:
    """How many submissions to judge at a time.

    Args:
        asked: what the caller said; 0 for nothing.
        submissions: how many there are at most.
        processors: of this machine.

    >>> [number(0, submissions, processors=4) for submissions in (1, 40, 41, 300)]
    [1, 1, 2, 4]
    >>> number(3, 2, processors=4)
    2
    """
    wanted = asked or min(processors, -(-submissions // PAYS))
    return max(1, min(wanted, submissions))
