"""What a worker gives up, for good, before it touches a submission."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass

from . import landlock, libc
from .limits import SCRATCH, Limits


@dataclass(frozen=True)
class Confinement:
    """The controls that hold in every worker of a zygote. Plain data: it goes by JSON.

    Attributes:
        readable: what Landlock lets a worker read; empty for no Landlock.
        listable: folders of which Landlock shows the names only.
        program: the system call filter, base64; empty for none.
        scratch: where a private file system in memory goes; empty for none.
        namespace: whether each worker is process 1 of a namespace of its own.
        powerless: whether capabilities are dropped.
    """

    readable: tuple[str, ...] = ()
    listable: tuple[str, ...] = ()
    program: str = ""
    scratch: str = ""
    namespace: bool = False
    powerless: bool = False

    def enter(self, limits: Limits) -> None:
        """Confine this process. The order matters: each step takes away what the next needs not.

        Raises:
            OSError: a control could not be put in place.
        """
        os.setsid()
        libc.die_with_parent()
        if self.scratch:
            libc.unshare(libc.CLONE_NEWNS)
            libc.mount_scratch(self.scratch, SCRATCH)
            os.chdir(self.scratch)
        if self.powerless:
            libc.drop_capabilities()
        limits.enter()
        if self.readable:
            writable = (self.scratch,) if self.scratch else ()
            landlock.restrict(self.readable, self.listable, writable)
        if self.program:
            libc.no_new_privileges()
            libc.filter_system_calls(base64.b64decode(self.program))
