"""The levels of confinement, strongest first, and what each holds back."""

from __future__ import annotations

import base64
from dataclasses import dataclass

from ...record import Isolation
from . import accelerators, bubblewrap, roots, seccomp
from .accelerators import Opening
from .confinement import Confinement

WRITABLE = "/scratch"
"""A folder that cannot be written, but for what is mounted in it."""
SCRATCH = f"{WRITABLE}/own"


@dataclass(frozen=True)
class Control:
    """Something that a level may enforce.

    Attributes:
        since: the lowest level that does.
        held: what to say where it does.
        missing: what to say where it does not.
    """

    since: int
    held: str
    missing: str


CONTROLS = (
    Control(0, "a process of its own, and a limit on time", ""),
    Control(0, "limits on memory and output", "limits on memory and output"),
    Control(
        1,
        "no files but the interpreter's (Landlock)",
        "files: submissions can read and write what you can",
    ),
    Control(
        1,
        "no network, processes, signals or tracing (seccomp)",
        "network, processes and signals: submissions can do what you can",
    ),
    Control(1, "no capabilities", "capabilities: submissions keep those of this process"),
    Control(
        2,
        "a file tree and a network of their own (bubblewrap)",
        "a file tree of their own: submissions can tell whether a file exists, not read it",
    ),
    Control(
        3,
        "a process namespace and a private scratch folder for each submission",
        "a process namespace of their own: signals and tracing are refused by seccomp alone",
    ),
)


@dataclass(frozen=True)
class Level:
    """One step of the ladder: 0 is a process with limits, 3 is everything.

    Attributes:
        number: which step.
        opening: what stages that are judged on an accelerator get of it.
    """

    number: int
    opening: Opening = accelerators.NOTHING

    def wrapper(self) -> list[str]:
        """The command that starts the zygote, up to the interpreter."""
        if self.number < 2:
            return []
        return bubblewrap.command(SCRATCH, self.number >= 3, self.opening)

    def scratch(self) -> str:
        """Where the zygote may write; empty for the system's own temporary folder."""
        return SCRATCH if self.number >= 2 else ""

    def confinement(self) -> Confinement:
        """What each worker gives up."""
        if self.number == 0:
            return Confinement()
        namespace = self.number >= 3
        wide = accelerators.SYSTEM_CALLS if self.opening else ()
        return Confinement(
            readable=tuple(roots.readable()),
            listable=tuple(roots.listable()),
            writable=(WRITABLE,) if namespace else (),
            devices=self.opening.devices,
            beside=self.opening.readable,
            program=base64.b64encode(seccomp.compiled(namespace)).decode(),
            wide_program=base64.b64encode(seccomp.compiled(namespace, wide)).decode(),
            scratch=SCRATCH if namespace else "",
            namespace=namespace,
            powerless=True,
        )

    def isolation(self) -> Isolation:
        """What to write into a record."""
        held = [control.held for control in CONTROLS if control.since <= self.number]
        missing = [control.missing for control in CONTROLS if control.since > self.number]
        missing += [accelerators.LOST] if self.opening else []
        return Isolation(self.number, tuple(held), tuple(missing))


LEVELS = tuple(Level(number) for number in (3, 2, 1, 0))


def opened(isolation: Isolation) -> bool:
    """Whether workers get an accelerator, from what a record says of them."""
    return accelerators.LOST in isolation.not_enforced
