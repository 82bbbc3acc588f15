"""Landlock: a process gives up the files, ports and signals that it does not need.

See https://docs.kernel.org/userspace-api/landlock.html for the numbers.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from . import libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_GET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _EXECUTE | _READ_FILE | _READ_DIR

_FIRST_VERSION_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))
_TCP = 1 << 0 | 1 << 1
_SCOPES = 1 << 0 | 1 << 1
"""Abstract sockets and signals that leave the confined process."""


def version() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    try:
        return libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _GET_VERSION)
    except OSError:
        return 0


def ruleset(
    readable: Iterable[str],
    listable: Iterable[str] = (),
    writable: Iterable[str] = (),
    devices: Iterable[str] = (),
    changeable: Iterable[str] = (),
) -> int:
    """Rules that allow these paths and what is under them, and nothing else; a descriptor.

    Args:
        readable: files and folders that may be read, and mapped as code.
        listable: folders of which only the entries' names may be read.
        writable: folders in which anything may be done.
        devices: device files that may be read, written and controlled.
        changeable: folders in which files that are there may be read and written.
    """
    known = version()
    rights = _rights(known)
    made = _create(known, rights)
    _allow(made, readable, _READ)
    _allow(made, listable, _READ_DIR)
    _allow(made, writable, rights & ~(_MAKE_CHAR | _MAKE_BLOCK))
    _allow(made, devices, rights & (_READ_FILE | _WRITE_FILE | _IOCTL_DEV))
    _allow(made, changeable, rights & (_READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE))
    return made


def restrict(made: int) -> None:
    """Hold this thread, and what it starts, to a ruleset, for good.

    Without `libc.no_new_privileges` before, the kernel refuses.
    """
    libc.syscall(_RESTRICT_SELF, made, 0)


def _rights(known: int) -> int:
    rights = _FIRST_VERSION_RIGHTS
    for since, right in _LATER_RIGHTS:
        if known >= since:
            rights |= right
    return rights


def _create(known: int, rights: int) -> int:
    attributes = struct.pack("=Q", rights)
    if known >= 4:
        attributes += struct.pack("=Q", _TCP)
    if known >= 6:
        attributes += struct.pack("=Q", _SCOPES)
    return libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)


def _allow(made: int, paths: Iterable[str], rights: int) -> None:
    for path in paths:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            folder = stat.S_ISDIR(os.fstat(opened).st_mode)
            rule = struct.pack("=Qi", rights if folder else rights & _FILE_RIGHTS, opened)
            libc.syscall(_ADD_RULE, made, _RULE_PATH_BENEATH, rule, 0)
        finally:
            os.close(opened)
