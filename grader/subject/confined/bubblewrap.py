"""bubblewrap, around a zygote: a file tree with the interpreter and little else, no network.

See bwrap(1). It needs no privileges where the kernel allows user namespaces.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import roots
from .accelerators import Opening

_BASE = """
    --unshare-user --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try
    --new-session --uid 0 --gid 0
"""
_OWN_PROCESSES = "--unshare-pid --as-pid-1 --cap-add ALL"
_LINKS = ("/lib", "/lib64", "/bin")
_PROCESSOR = "/proc/cpuinfo"
"""PyTorch reads what the processor can do from here. There is no other file in /proc, unless an
accelerator's driver needs them."""


def installed() -> str | None:
    """Where bubblewrap is, if it is installed."""
    return shutil.which("bwrap")


def command(scratch: str, own_processes: bool, opening: Opening) -> list[str]:
    """The start of a command line: what follows it runs inside.

    Args:
        scratch: an empty folder for the zygote, over which workers may mount their own.
        own_processes: give it a process namespace, and the power to make more of them.
        opening: what of an accelerator is there inside, too.
    """
    parts = [installed() or "bwrap", *_BASE.split()]
    parts += _OWN_PROCESSES.split() if own_processes else []
    for path in ("/usr", *roots.interpreter()):
        parts += ["--ro-bind", path, path]
    for path in _LINKS:
        parts += _like_outside(path)
    parts += ["--proc", "/proc", "--ro-bind-try", "/sys", "/sys"] if opening else []
    processor = () if opening else (_PROCESSOR,)
    for path in ("/etc/ld.so.cache", *processor, *roots.DEVICES, *opening.devices):
        parts += ["--dev-bind-try", path, path]
    parts += ["--tmpfs", str(roots.PACKAGE)]
    for part in roots.HARNESS:
        parts += ["--ro-bind", str(part), str(part)]
    return [*parts, "--tmpfs", scratch, "--remount-ro", "/", "--"]


def _like_outside(path: str) -> list[str]:
    """The same link as outside, or the same folder."""
    if Path(path).is_symlink():
        return ["--symlink", str(Path(path).readlink()), path]
    return ["--ro-bind-try", path, path]
