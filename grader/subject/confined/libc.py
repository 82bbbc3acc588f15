"""Linux calls that Python 3.11 has no function for, by way of the C library."""

from __future__ import annotations

import ctypes
import os
from functools import cache

CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
MS_NOSUID_NODEV_NOEXEC = 2 | 4 | 8

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def call(name: str, *args: object) -> int:
    """Call a function of the C library.

    Raises:
        OSError: it returned a negative number.
    """
    result = int(getattr(_library(), name)(*args))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def syscall(number: int, *args: object) -> int:
    """Make a system call that the C library has no function for."""
    return call("syscall", ctypes.c_long(number), *args)


def prctl(option: int, *args: int) -> int:
    """Set something about this process or thread."""
    four = [*args, 0, 0, 0, 0][:4]
    return call("prctl", option, *(ctypes.c_ulong(arg) for arg in four))


def die_with_parent() -> None:
    """Have this process killed when the thread that forked it ends."""
    prctl(_PR_SET_PDEATHSIG, 9)


def no_new_privileges() -> None:
    """Make set-uid programs powerless; Landlock and seccomp ask for it."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def bound_capabilities() -> None:
    """See to it that no program started from here can get a capability again."""
    for number in range(64):
        try:
            prctl(_PR_CAPBSET_DROP, number)
        except OSError:  # past the last one, or none held to begin with
            break
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)


def drop_capabilities() -> None:
    """Give up every capability that this process holds, also those that root has by itself."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    call("capset", header, (ctypes.c_uint32 * 6)())


def unshare(flags: int) -> None:
    """Leave some of the namespaces that are shared with the parent."""
    call("unshare", flags)


def enter_namespace(pidfd: int, kind: int) -> None:
    """Join a namespace of the process behind a pidfd."""
    call("setns", pidfd, kind)


def mount_scratch(path: str, size: str) -> None:
    """Put an empty file system in memory at `path`; nothing on it can be executed."""
    options = f"size={size},nr_inodes=256,mode=700"
    flags = ctypes.c_ulong(MS_NOSUID_NODEV_NOEXEC)
    call("mount", b"tmpfs", path.encode(), b"tmpfs", flags, options.encode())


def mount_processes() -> None:
    """Show at /proc the processes of this one's namespace, and no others."""
    call("mount", b"proc", b"/proc", b"proc", ctypes.c_ulong(MS_NOSUID_NODEV_NOEXEC), None)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_system_calls(program: bytes) -> None:
    """Install a seccomp filter, given as the bytes of a BPF program."""
    buffer = ctypes.create_string_buffer(program, len(program))
    compiled = _Program(len(program) // 8, ctypes.addressof(buffer))
    address = ctypes.addressof(compiled)
    prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address)
