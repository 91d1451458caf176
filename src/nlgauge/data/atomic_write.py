"""Files that are written whole or not at all, and file locks between the processes of one machine.

A path that is not a regular file, such as a pipe, is written to directly.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, TextIO, cast

from nlgauge.errors import InputError

STDOUT = "-"
"""Name of the standard output"""
UNFINISHED = ".partial"
"""End of the hidden name of a file that is being written. A killed process leaves one"""

_GZIP_LEVEL = 6  # the highest makes scores 6 % smaller, and takes three times as long
_MOST_LINKS = 40
_NAMED = 48  # characters of a file's name in that of the unfinished one, which has to be short enough


@contextmanager
def atomic_write(path: str | os.PathLike[str], gzipped: bool = False) -> Iterator[TextIO]:
    """Open a UTF-8 text file for writing, which replaces the file at `path` as `atomic_bytes` describes.

    Args:
        path: the file, or '-' for the standard output.
        gzipped: whether to compress the text by gzip. Equal texts give equal bytes: no name and no time is in them.

    Returns:
        A context that gives the open file.
    """
    with ExitStack() as held:
        file = held.enter_context(atomic_bytes(path))
        if gzipped:
            from gzip import GzipFile

            file = held.enter_context(cast(BinaryIO, GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0)))
        text = TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()


@contextmanager
def atomic_bytes(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing, which replaces the file at `path` when all has been written.

    If writing breaks off, the old file stays as it was. If several processes write one file at the same time, the last
    to end wins, and its file is whole. A symbolic link stays a link, and the file that it points to is replaced. The
    new file has the permissions of the old one, and its owner where that is allowed. A second name of the old file (a
    hard link) still has the old content. The standard output, pipes, devices and open descriptors such as /dev/stdout
    are written to directly. On a terminal, control characters are written as escapes.

    Args:
        path: the file, or '-' for the standard output.

    Returns:
        A context that gives the open file.

    Raises:
        InputError: the file cannot be written.
        OSError: the standard output cannot be written.
    """
    path = Path(path)
    if goes_to_stdout(path):
        with _shown(_stdout()) as file:
            yield file
        return
    try:
        if is_stream(path):
            with _stream(path) as stream, _shown(stream) as file:
                yield file
            return
        with _replacing(path) as file:
            yield file
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise InputError(problem, file=path, remedy="choose another place") from None


def refuse_place(*places: str | os.PathLike[str] | None) -> None:
    """Raise InputError for a path that cannot be written, so that a long run fails before it begins."""
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
    """Return True if a path is written to directly: stdout, an open descriptor, a pipe or a device."""
    path = Path(path)
    if _descriptor(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def goes_to_stdout(path: str | os.PathLike[str]) -> bool:
    """Return True if what is written to a path comes out of stdout."""
    return _descriptor(Path(path)) == 1


def _descriptor(path: Path) -> int | None:
    """Return the file descriptor of this process that a path names, also through links; None for any other path."""
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
    """Open a stream for writing. A descriptor keeps its position, so the output follows what was written before."""
    descriptor = _descriptor(path)
    return path.open("wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb")


@contextmanager
def _shown(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Return a context that gives a stream to write to. On a terminal, control characters are written as escapes."""
    if not stream.isatty():
        yield stream
        return
    from nlgauge.show.tables import harmless_json  # only where there is a terminal

    whole = BytesIO()
    yield whole
    stream.write(harmless_json(whole.getvalue().decode("utf-8", "replace")).encode())
    stream.flush()


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    target = Path(os.path.realpath(path))
    before = target.stat() if os.path.lexists(target) else None
    if before is not None and stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected")
    mode = 0o666 if before is None else before.st_mode & 0o777
    # Nobody knows its name before it is there, and "x" follows no link.
    partial = target.with_name(f".{target.name[:_NAMED]}.{token_hex(8)}{UNFINISHED}")
    try:
        with open(partial, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if before is not None:
                _allow_as(file.fileno(), before)
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def _allow_as(descriptor: int, before: os.stat_result) -> None:
    """Give a file the permissions of an earlier file, and its owner and group where that is allowed."""
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

_PAUSE_S = 0.02


@contextmanager
def file_lock(path: Path, wait: float = 0.0) -> Iterator[bool]:
    """Hold a lock file, which is made for the lock and removed when the context ends.

    On a file system without locks every process gets the lock. Raises OSError where the lock file cannot be made.

    Args:
        path: the lock file.
        wait: how many seconds to wait for another process that holds the lock.

    Returns:
        A context that gives True; False where another process holds the lock.
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
    """Take the lock of an open file without waiting; return False where another process holds the lock."""
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
