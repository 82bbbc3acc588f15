"""What a worker gives up, for good, before it touches a submission."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass

from . import accelerators, landlock, libc
from .limits import SCRATCH, Limits


@dataclass(frozen=True)
class Confinement:
    """The controls that hold in every worker of a zygote. Plain data: it goes by JSON.

    Attributes:
        readable: what Landlock lets a worker read; empty for no Landlock.
        listable: folders of which Landlock shows the names only.
        writable: folders in which Landlock lets a worker write.
        devices: what a worker with an accelerator may use on top, see `accelerators`.
        beside: what such a worker may read on top.
        program: the system call filter, base64; empty for none.
        wide_program: the filter of a worker with an accelerator.
        scratch: where a private file system in memory goes; empty for none.
        namespace: whether each worker is process 1 of a namespace of its own.
        powerless: whether capabilities are dropped.
    """

    readable: tuple[str, ...] = ()
    listable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    program: str = ""
    wide_program: str = ""
    scratch: str = ""
    namespace: bool = False
    powerless: bool = False


class Prepared:
    """A confinement of which everything is done that can be done once, in the zygote."""

    def __init__(self, confinement: Confinement) -> None:
        self._is = confinement
        self._zygote = os.getpid()
        self._ruleset: int | None = None
        if confinement.powerless:
            libc.no_new_privileges()
            libc.bound_capabilities()
        if confinement.readable:
            self._ruleset = landlock.ruleset(
                confinement.readable, confinement.listable, confinement.writable
            )
        self._own = os.pidfd_open(os.getpid()) if confinement.namespace else None

    def before_fork(self) -> None:
        """See to it that the next child is the first process of a fresh namespace."""
        if self._own is not None:
            # Children go into the namespace that was left last: back to ours, then a new one.
            libc.enter_namespace(self._own, libc.CLONE_NEWPID)
            libc.unshare(libc.CLONE_NEWPID)

    def enter(self, limits: Limits) -> None:
        """Confine this process. The order matters: each step takes what the next needs not.

        Raises:
            OSError: a control could not be put in place.
        """
        os.setsid()
        libc.die_with_parent()
        if not self._is.namespace and os.getppid() != self._zygote:
            os._exit(1)  # it ended before that was said; a namespace ends with it in any case
        if self._own is not None:
            os.close(self._own)
        if self._is.scratch:
            libc.unshare(libc.CLONE_NEWNS)
            libc.mount_scratch(self._is.scratch, SCRATCH)
            os.chdir(self._is.scratch)
        if self._is.namespace and limits.accelerator:
            libc.mount_processes()
        if self._is.powerless:
            libc.drop_capabilities()
        limits.enter()
        if self._ruleset is not None:
            ruleset = self._with_accelerator() if limits.accelerator else os.dup(self._ruleset)
            landlock.restrict(ruleset)
            os.close(ruleset)
            os.close(self._ruleset)
        program = self._is.wide_program if limits.accelerator else self._is.program
        if program:
            libc.filter_system_calls(base64.b64decode(program))

    def _with_accelerator(self) -> int:
        """Rules for one worker alone: its threads have a folder of their own."""
        return landlock.ruleset(
            (*self._is.readable, *self._is.beside),
            self._is.listable,
            self._is.writable,
            self._is.devices,
            (accelerators.OWN_THREADS,) if self._is.devices else (),
        )
