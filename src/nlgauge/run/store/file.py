"""The database file of the store: which one in a folder counts, how it is opened, when it is given up.

Files are numbered and the highest number counts. A damaged file is never repaired or written over: whoever sees the
damage goes on to the next number, so that two processes that see it at once meet there, and one that has the old file
open cannot harm the new one, whose -wal and -shm files have names of their own.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nlgauge.run.store.tables import lay_out

BUSY_S = 30.0
"""How long another process is waited for"""

_NAME = re.compile(r"nlgauge-(\d+)\.sqlite(-wal|-shm|-journal)?")
# Pages of 8 KiB: larger ones make features cheaper and small commits dearer. Without secure_delete what is evicted
# is not written over with zeros. cell_size_check and trusted_schema are for files that may be damaged.
_SETTINGS = (
    "page_size=8192",
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "cache_size=-32768",
    "journal_size_limit=67108864",
    "mmap_size=0",
    "secure_delete=OFF",
    "cell_size_check=ON",
    "trusted_schema=OFF",
)
FAULTS = (sqlite3.Error, UnicodeError, OverflowError)
"""What reading a damaged file raises: a number may be out of range, and a message in no encoding"""

# What SQLite says where the file may be sound and its surroundings are not.
_SURROUNDINGS = ("full", "locked", "unable to open", "permission", "out of memory", "interrupted")


@dataclass(frozen=True, eq=False)
class StoreFile:
    """An open file of the store, which `begin` looks at and lays out."""

    path: Path
    number: int
    connection: sqlite3.Connection
    identity: tuple[int, int] | None
    """Device and inode; None where the file was gone before it was looked at"""

    def begin(self) -> None:
        """Settings and tables; then files with lower numbers are removed. Raises one of FAULTS."""
        self.connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        deadline = time.monotonic() + BUSY_S
        while True:
            try:
                for setting in _SETTINGS:
                    self.connection.execute(f"PRAGMA {setting}")
                lay_out(self.connection)
                return remove(self.path.parent, below=self.number)
            except sqlite3.OperationalError as error:
                # Two processes that turn a new file to WAL at once: SQLite does not wait there by itself.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def in_place(self) -> bool:
        """Whether the file that is open is still the one with its name."""
        return self.identity is not None and self.identity == _identity(self.path)

    def close(self) -> None:
        """Close it, whatever state it is in."""
        with suppress(sqlite3.Error):
            self.connection.close()


def files(folder: Path) -> list[tuple[int, Path]]:
    """The files of all stores in a folder, with their numbers; none where there is no folder."""
    try:
        paths = list(folder.iterdir())
    except FileNotFoundError:
        return []
    return [(int(match[1]), path) for path in paths if (match := _NAME.fullmatch(path.name))]


def open_newest(folder: Path, after: int = 0) -> StoreFile:
    """Open the file that counts, or make one.

    after: the number of the last one known to be damaged, 0 for none. Raises sqlite3.Error and OSError where the disk
    is full, the place cannot be written, or others may write it too.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_shared(folder)
    number = _number(folder, after)
    path = folder / f"nlgauge-{number}.sqlite"
    # Never open a file that may be in use but by SQLite: to close it again would drop this process's locks on it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    _refuse_shared(path)
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    return StoreFile(path, number, connection, _identity(path))


def remove(folder: Path, below: int | None = None) -> None:
    """Remove the files with lower numbers than `below`, or all. One that cannot be removed is left."""
    for number, path in sorted(files(folder), key=lambda file: file[1].name):  # the database before its -wal
        if below is None or number < below:
            with suppress(OSError):
                path.unlink()


def is_damage(error: Exception) -> bool:
    """Whether the file is to blame, and a new one would do."""
    return isinstance(error, FAULTS) and not any(words in str(error) for words in _SURROUNDINGS)


def _refuse_shared(place: Path) -> None:
    """Raises PermissionError for what others may write: whoever does decides on the scores that are read from it.

    The group of a user's own number is the user alone, by the custom of most systems.
    """
    if sys.platform == "win32":
        return
    state = place.stat()
    if state.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, f"{place} belongs to another user")
    if state.st_mode & stat.S_IWOTH or (state.st_mode & stat.S_IWGRP and state.st_gid != state.st_uid):
        raise PermissionError(errno.EPERM, f"other users may write {place}")


def _number(folder: Path, after: int) -> int:
    """The number of the file to open.

    A -wal without its database belongs to one that was removed under a running process.
    """
    present = files(folder)
    newest = max((number for number, path in present if path.suffix == ".sqlite"), default=0)
    last = max((number for number, _ in present), default=0)
    return newest if newest > after and newest == last else max(last, after) + 1


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
