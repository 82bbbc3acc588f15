"""The strongest confinement that this machine gives, found by trying."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import bubblewrap, canaries, landlock, seccomp
from .levels import LEVELS, Level
from .process import MachineryError, Workers
from .spawning import Spawner
from .zygote import Zygote

LOWEST = 1
"""Below this level, submissions run only if the person who starts the grader trusts them."""


class Unconfined(Exception):
    """This machine cannot confine submissions, and nobody said that they are trusted."""


def start(*, trust: bool = False, levels: Sequence[Level] = LEVELS) -> Workers:
    """Start the strongest level that holds here.

    Args:
        trust: allow a level that confines nothing, if there is no other.
        levels: the levels to try, in this order.

    Raises:
        Unconfined: no level from 1 upwards holds here; the message says why.
    """
    troubles = []
    for level in levels:
        if level.number < LOWEST and not trust:
            continue
        try:
            return _started(level)
        except MachineryError as error:
            troubles.append(f"  level {level.number}: {error}")
    raise Unconfined("\n".join([_REFUSAL, *troubles, _ADVICE]))


_REFUSAL = "Submissions cannot be confined on this machine, so they were not run:"
_ADVICE = (
    "Grade on Linux 5.13 or newer, with libseccomp and, better, bubblewrap installed. Only if you "
    "trust every submission as you trust your own code, add --trust-submissions."
)


def _started(level: Level) -> Workers:
    if trouble := missing(level):
        raise MachineryError(trouble)
    if sys.platform != "linux":
        return Spawner()
    zygote = Zygote(level)
    try:
        found = canaries.escaped(zygote, level.number)
    except BaseException:
        zygote.close()
        raise
    if found:
        zygote.close()
        raise MachineryError("; ".join(found))
    return zygote


def missing(level: Level) -> str:
    """What this machine lacks for a level, as far as can be told without trying it."""
    if level.number >= 2 and not bubblewrap.installed():
        return "bubblewrap (the program bwrap) is not installed"
    if level.number >= 1:
        return _missing_from_kernel()
    return ""


def _missing_from_kernel() -> str:
    if sys.platform != "linux":
        return "it needs Linux"
    if not landlock.version():
        return "the kernel has no Landlock, or it is switched off"
    try:
        seccomp.compiled(init=False)
    except (ImportError, OSError, RuntimeError) as error:
        return f"system calls cannot be filtered: {error}"
    return ""
