"""The strongest confinement that this machine gives, found by trying."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from . import accelerators, bubblewrap, canaries, landlock, seccomp
from .levels import LEVELS, Level
from .process import MachineryError, Workers
from .spawning import Spawner
from .zygote import Zygote

LOWEST = 1
"""Below this level, submissions run only if the person who starts the grader trusts them."""


class LeakyError(MachineryError):
    """A level was set up, and yet a worker could do what the level promises to stop."""


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
            return started(level)
        except MachineryError as error:
            troubles.append(f"  level {level.number}: {error}")
    raise Unconfined("\n".join([_REFUSAL, *troubles, _ADVICE]))


_REFUSAL = "Submissions cannot be confined on this machine, so they were not run:"
_ADVICE = (
    "Grade on Linux 5.13 or newer, with libseccomp and, better, bubblewrap installed. Only if you "
    "trust every submission as you trust your own code, add --trust-submissions."
)


def started(level: Level) -> Workers:
    """Start exactly this level.

    Raises:
        LeakyError: a canary got out.
        MachineryError: the machine cannot give the level.
    """
    if trouble := missing(level):
        raise MachineryError(trouble)
    if sys.platform != "linux":
        return Spawner()
    zygote = Zygote(replace(level, opening=accelerators.found(accelerators.built())))
    try:
        found = canaries.escaped(zygote, level.number)
    except BaseException:
        zygote.close()
        raise
    if found:
        zygote.close()
        raise LeakyError("; ".join(found))
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
