"""Files that are complete or not there at all; what is no file, such as a pipe, is written to as it is."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from nlgauge.errors import InputError

STDOUT = "-"
"""What names the standard output"""

_MOST_LINKS = 40
_NAMED = 48  # characters of a file's name in that of the unfinished one, which has to be short enough


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A UTF-8 text file to write; all else as `atomic_bytes`."""
    with atomic_bytes(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def atomic_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write, which takes its name, and the place of what had it, when all has been written.

    What breaks off leaves the old file as it was. Where several write one file at a time, the last to end wins, and
    its file is whole. A symbolic link stays a link: what it names is replaced. So do owner and permissions stay, but
    for a second name (hard link), which keeps the old content. '-' is the standard output. It, pipes, devices and open
    descriptors such as /dev/stdout are written to as they are. Raises InputError where it cannot be written, and
    OSError where that is the standard output.
    """
    path = Path(path)
    if goes_to_stdout(path):
        yield _stdout()
        return
    try:
        opened = _stream(path) if is_stream(path) else _replacing(path)
        with opened as file:
            yield file
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise InputError(problem, file=path, remedy="choose another place") from None


def refuse_place(*places: str | os.PathLike[str] | None) -> None:
    """Raises InputError for a file that could not be written: found before a long run, and not after it."""
    for place in places:
        if place is None or is_stream(place):
            continue
        target = os.path.realpath(place)
        # Paths' own methods raise for names that are too long.
        is_folder = os.path.isdir(target)  # noqa: PTH112
        if is_folder or not os.path.isdir(os.path.dirname(target)):  # noqa: PTH112, PTH120
            why = "it is a folder" if is_folder else "its folder does not exist"
            raise InputError(f"cannot be written: {why}", file=place, remedy="name a file in a folder that exists")


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path names what is written to as it is: stdout, a descriptor, a pipe, a device."""
    path = Path(path)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return _descriptor(path) is not None
    return _descriptor(path) is not None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def goes_to_stdout(path: str | os.PathLike[str]) -> bool:
    """Whether what is written to a path comes out of stdout."""
    return _descriptor(Path(path)) == 1


def _descriptor(path: Path) -> int | None:
    """Which of the open files of this process a path names."""
    if str(path) == STDOUT:
        return 1
    folders = rf"/dev/fd|/proc/{os.getpid()}(/task/\d+)?/fd"
    for _ in range(_MOST_LINKS):
        if path.name.isdecimal() and re.fullmatch(folders, os.path.realpath(path.parent)):
            return int(path.name)
        if not os.path.islink(path):  # noqa: PTH114  # as in refuse_place
            return None
        path = path.parent / path.readlink()
    return None


def _stdout() -> BinaryIO:
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        raise InputError("the standard output takes no files here", remedy="name a file")
    sys.stdout.flush()
    return cast(BinaryIO, buffer)


def _stream(path: Path) -> BinaryIO:
    """Opened without a change of where it stands: what wrote to a descriptor before goes on after this."""
    descriptor = _descriptor(path)
    return path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb")


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    before = _before(target)
    partial, descriptor = _unfinished(target, 0o666 if before is None else before.st_mode & 0o777)
    file = os.fdopen(descriptor, "wb")
    try:
        if before is not None:
            _allow_as(descriptor, before)
        yield file
        file.flush()
        os.fsync(descriptor)
        if sys.platform == "win32":  # there no open file can be renamed; elsewhere it is locked until it has its name
            file.close()
        partial.replace(target)
    except BaseException:
        with suppress(OSError):
            if sys.platform == "win32":
                file.close()
            partial.unlink()
        raise
    finally:
        file.close()


def _before(target: Path) -> os.stat_result | None:
    """What is to be replaced, None for nothing. Raises OSError where it must not be."""
    try:
        before = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected")
    return before


def _unfinished(target: Path, mode: int) -> tuple[Path, int]:
    """A new file beside a target, locked. What a killed writer left under its name is removed."""
    for number in count():
        path = target.with_name(f".{target.name[:_NAMED]}.nlgauge-{number}.partial")
        while True:
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
            except FileExistsError:
                if _removed(path):
                    continue
                break
            with suppress(OSError):  # without locks, no unfinished file is taken for one that was left
                if not (locked(descriptor) and is_named(descriptor, path)):
                    os.close(descriptor)
                    continue
            return path, descriptor
    raise AssertionError("numbers do not end")


def _removed(path: Path) -> bool:
    """Remove what a killed writer left: False where its writer lives, or where it is something else."""
    try:
        if sys.platform == "win32":  # there no open file can be removed
            path.unlink()
            return True
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if not (stat.S_ISREG(os.fstat(descriptor).st_mode) and locked(descriptor)):
                return False
            if is_named(descriptor, path):
                path.unlink()
            return True
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _allow_as(descriptor: int, before: os.stat_result) -> None:
    """Give a file the owner, as far as that is allowed, and the permissions of another."""
    if sys.platform != "win32":
        for user, group in ((-1, before.st_gid), (before.st_uid, -1)):
            with suppress(OSError):
                os.fchown(descriptor, user, group)
        with suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


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
