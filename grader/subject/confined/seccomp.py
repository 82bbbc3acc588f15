"""The system calls that a confined worker may make, compiled to a filter.

The filter is compiled once, in the trusted process; a worker only installs the bytes. What is not
on the list fails with "operation not permitted": sockets, processes, signals, tracing, mounts,
and calls that this list has never heard of.
"""

from __future__ import annotations

import errno
import tempfile
from functools import cache

ALLOWED = """
    read write readv writev pread64 pwrite64 recvfrom sendto close lseek fsync
    fstat newfstatat stat lstat statx openat open readlink readlinkat access faccessat faccessat2
    getdents64 getcwd dup poll ppoll select pselect6 ftruncate fadvise64 umask
    unlink unlinkat mkdir mkdirat rmdir rename renameat renameat2 pipe2 eventfd2
    mmap munmap mremap mprotect madvise brk mincore
    futex futex_waitv set_robust_list get_robust_list rseq membarrier set_tid_address arch_prctl
    rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack rt_sigpending restart_syscall
    capget getpid gettid getppid getuid geteuid getgid getegid getresuid getresgid getpgrp getgroups
    sched_getaffinity sched_yield sched_getparam sched_getscheduler get_mempolicy getcpu
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times
    getrusage getrlimit sysinfo uname getrandom setitimer getitimer alarm exit exit_group
"""
"""Allowed whatever their arguments are."""

_CLONE_THREAD = 0x10000
_PR_SET_NAME = 15

COMMANDS = {
    # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: asking, and flags of one's own
    "ioctl": (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC; not F_SETOWN, which signals
    "fcntl": (0, 1, 2, 3, 4, 1030),
}
"""Calls that do many things, with the commands (their second argument) that are allowed."""


@cache
def compiled(init: bool, anyhow: tuple[str, ...] = ()) -> bytes:
    """The filter as a BPF program.

    Args:
        init: the worker is process 1 of its own namespace, and so can be allowed to signal its
            own threads, which is what `abort()` does.
        anyhow: further calls, allowed whatever their arguments are.
    """
    import pyseccomp as libseccomp  # type: ignore[import-untyped]  # only where a filter is compiled; Linux only

    rules = libseccomp.SyscallFilter(libseccomp.ERRNO(errno.EPERM))
    for name in (*ALLOWED.split(), *anyhow):
        if libseccomp.resolve_syscall(libseccomp.Arch.NATIVE, name) >= 0:
            rules.add_rule(libseccomp.ALLOW, name)
    thread = libseccomp.Arg(0, libseccomp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD)
    rules.add_rule(libseccomp.ALLOW, "clone", thread)
    rules.add_rule(libseccomp.ERRNO(errno.ENOSYS), "clone3")  # the C library falls back to clone
    rules.add_rule(libseccomp.ALLOW, "prctl", libseccomp.Arg(0, libseccomp.EQ, _PR_SET_NAME))
    # Somebody else's limits are as good as a signal: only one's own may be asked for or set.
    rules.add_rule(libseccomp.ALLOW, "prlimit64", libseccomp.Arg(0, libseccomp.EQ, 0))
    for name, commands in COMMANDS.items():
        for command in commands if name not in anyhow else ():
            rules.add_rule(libseccomp.ALLOW, name, libseccomp.Arg(1, libseccomp.EQ, command))
    if init:
        rules.add_rule(libseccomp.ALLOW, "tgkill", libseccomp.Arg(0, libseccomp.EQ, 1))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
