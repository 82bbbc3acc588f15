"""How much a submission may use, and what its author is told when that was not enough."""

from __future__ import annotations

import errno
import signal
from dataclasses import dataclass

from . import accelerators

MIB = 1 << 20
FILE_BYTES = 4 * MIB
"""The longest file that a submission may write; what it prints goes to a file, too."""
SCRATCH = "16m"
OPEN_FILES = 64


@dataclass(frozen=True)
class Limits:
    """Limits of one worker.

    Attributes:
        memory: bytes of everything that the process has mapped, the interpreter too; with an
            accelerator of private memory only, since its driver maps hundreds of GiB of addresses.
        accelerator: whether the worker may use one.
    """

    memory: int
    accelerator: bool = False

    def enter(self) -> None:
        """Limit this process for good."""
        import resource  # POSIX only, as this function is

        limits = {
            resource.RLIMIT_DATA if self.accelerator else resource.RLIMIT_AS: self.memory,
            resource.RLIMIT_FSIZE: FILE_BYTES,
            resource.RLIMIT_NOFILE: accelerators.OPEN_FILES if self.accelerator else OPEN_FILES,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_MEMLOCK: 0,
        }
        for kind, most in limits.items():
            _, hard = resource.getrlimit(kind)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))


_SIGNALS = {
    "SIGSEGV": "it crashed inside compiled code (segmentation fault)",
    "SIGBUS": "it crashed inside compiled code (bus error)",
    "SIGABRT": "compiled code gave up (abort)",
    "SIGFPE": "it crashed inside compiled code (arithmetic error)",
    "SIGILL": "it crashed inside compiled code (illegal instruction)",
    "SIGSYS": "it made a system call that is not allowed",
    "SIGKILL": "the system killed it, most likely for its use of memory",
}


def of_ending(code: int) -> str:
    """What to tell the author of a submission whose process ended by itself.

    Args:
        code: the exit code, negative for the signal that ended it, as `subprocess` has it.
    """
    if code < 0:
        name = signal.Signals(-code).name
        return f"the code's process ended: {_SIGNALS.get(name, f'it was ended by {name}')}"
    return (
        f"the code ended its own process (exit code {code}) instead of returning a value; "
        f"exit() and its like have no place here"
    )


def of_memory(memory: int) -> str:
    """What to tell the author of a submission that asked for more memory than there is."""
    return f"the code needs more memory than the {memory} MiB that this stage allows"


OUT_OF_MEMORY = ("can't allocate memory", "not enough memory", "Cannot allocate memory")
"""How PyTorch says that the system gave it no memory; it raises a RuntimeError."""

_REMARKS = (
    (
        OSError,
        {errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOENT},
        "a graded run has no network, starts no other programs and opens no other files",
    ),
    (
        OSError,
        {errno.EFBIG, errno.ENOSPC, errno.EMFILE},
        "a graded run has room for a few small files only",
    ),
)
_NO_THREAD = "can't start new thread"


def of_system(error: BaseException) -> str:
    """A remark on an error that the confinement itself may have caused; empty for others."""
    if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
        return "a graded run has room for a few threads only"
    number = getattr(error, "errno", None)
    return next((text for kind, n, text in _REMARKS if isinstance(error, kind) and number in n), "")
