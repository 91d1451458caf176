"""Locks on files, held by one process at a time. A process that ends, however it ends, gives back what it held."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def locked(descriptor: int) -> bool:
    """Take the lock of an open file without waiting for it: False where somebody else holds it.

    Raises OSError on a file system that has no locks.
    """
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def is_named(descriptor: int, path: Path) -> bool:
    """Whether an open file still has a name: a lock says nothing about a name that another file took meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Hold the lock of a file that is made for it, and removed in the end: False where another one holds it.

    Nobody is kept out on a file system that has no locks. Raises OSError where the file cannot be made.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            try:
                mine = locked(descriptor)
            except OSError:
                mine = True
            if mine and not is_named(descriptor, path):
                continue  # who held it has removed it since it was opened
            try:
                yield mine
            finally:
                if mine:
                    with suppress(OSError):
                        path.unlink()
            return
        finally:
            os.close(descriptor)
