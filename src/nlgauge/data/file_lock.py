"""Advisory locks of files, between processes on one machine."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE_S = 0.02


@contextmanager
def alone(path: Path, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock of a file that is made for it and removed in the end; False where another process holds it.

    On a file system without locks everybody gets it. Raises OSError where the file cannot be made.

    Args:
        path: the lock file.
        wait: seconds to wait for another process.
    """
    until = time.monotonic() + wait
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            mine = _locked(descriptor)
            if mine and not _is_named(descriptor, path):
                continue  # who held it has removed it since it was opened
            if not mine and time.monotonic() < until:
                time.sleep(_PAUSE_S)
                continue
            try:
                yield mine
            finally:
                if mine:
                    with suppress(OSError):
                        path.unlink()
            return
        finally:
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Take the lock of an open file without waiting for it; return False where somebody else holds it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass  # a file system that has no locks
    return True


def _is_named(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False
