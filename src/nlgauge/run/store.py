"""The cache: scores of rows and features by key, in one SQLite table. No run fails because of it.

An entry comes back byte for byte as it was put, or not at all: a checksum of its key and value stands beside it.
Several processes use one folder at once. A damaged file is set aside under another name, and never removed. Where the
place cannot be used, as on a full disk, the user is told once, nothing is removed, and nothing more is cached.

A process that sees damage opens the file once more before it sets the file aside, because another process may have
begun a new file. If two processes do so at the same moment, a new file is lost. No entry is wrong then, because each
entry has its checksum.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from nlgauge.errors import SpecError

LIMIT = 4 << 30
BUSY_S = 30.0
"""The time in seconds for which the cache waits for another process"""

_OFF = "off"
_SCHEMA = 2
# `used` is the second of the last use. The value stands last, so that a scan of the others does not read it.
_TABLE = (
    "CREATE TABLE entry (key BLOB PRIMARY KEY NOT NULL, used INTEGER NOT NULL, checksum BLOB NOT NULL,"
    " value BLOB NOT NULL)"
)
_FILE = f"nlgauge{_SCHEMA}-1.sqlite"  # as earlier versions called their first one, so that it is used on
_NAME = re.compile(r"nlgauge\d*-\d+\.(sqlite|damaged)(-wal|-shm|-journal)?")
# Pages of 8 KiB: larger ones make features cheaper and small commits costlier. Without secure_delete what is evicted
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
_AT_ONCE = 900  # parameters of a query: old builds of SQLite take 999
_TOUCH_S = 3600  # an entry is marked as used once in so long
_ENTRY_BYTES = 96  # of an entry beside its value, about
_EVICTED_TO = 0.9
_SHRUNK_FROM = 1.25  # a file so many times larger than the limit is one from before the limit was lowered
_RENEWALS = 2  # in one process: a disk that damages what it is given is not tried for ever
_REMEDY = "name another folder by --cache or NLGAUGE_CACHE, or set NLGAUGE_CACHE=off"

_FAILURES = (sqlite3.Error, UnicodeError, OverflowError, MemoryError, OSError)
# What a damaged file raises; a full, failing, locked or read-only disk raises sqlite3.OperationalError. A number may be
# out of range, and a message in no encoding.
_DAMAGE = (sqlite3.DatabaseError, sqlite3.IntegrityError, sqlite3.DataError, UnicodeDecodeError, OverflowError)

T = TypeVar("T")


def is_off() -> bool:
    """Return True if NLGAUGE_CACHE is 'off', so that nothing is cached unless a folder is named."""
    return os.environ.get("NLGAUGE_CACHE") == _OFF


def default_folder() -> Path:
    """Return the cache folder: NLGAUGE_CACHE, or the platform's. Raises RuntimeError for a user without a home."""
    if (named := os.environ.get("NLGAUGE_CACHE")) and named != _OFF:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "nlgauge" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nlgauge"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nlgauge"


def default_limit() -> int:
    """Return the largest size of the cache in bytes. Raises SpecError if NLGAUGE_CACHE_LIMIT is not a number."""
    named = os.environ.get("NLGAUGE_CACHE_LIMIT")
    if named and not (named.isascii() and named.isdecimal()):
        raise SpecError(f"NLGAUGE_CACHE_LIMIT={named}: give a number of bytes, as {LIMIT}")
    return int(named) if named else LIMIT


@dataclass(frozen=True)
class Info:
    """Size and number of entries of a cache."""

    folder: Path
    bytes: int
    """The size of the cache's files on the disk, with the damaged files that were set aside"""
    limit: int
    entries: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By kind of entry: the number of entries, and the bytes of their values"""


@dataclass(frozen=True)
class Verified:
    """The result of a check of every entry: how many are intact, and how many were dropped."""

    intact: int
    dropped: int
    set_aside: bool
    """Whether the file itself was damaged and was set aside"""


@contextmanager
def opened(cache: bool | str | Path) -> Iterator[Store | None]:
    """Open the cache that `evaluate(cache=...)` names.

    Entries that are not committed yet are written at the end of the context, unless it ends by an exception.

    Args:
        cache: True for the platform's folder, a folder, or False for no cache.

    Returns:
        A context that gives the store, or None for no cache.
    """
    if cache is False or (cache is True and is_off()):
        yield None
        return
    with Store(None if cache is True else Path(cache)) as store:
        yield store


class Store:
    """A store of values by key, in a folder. Its file is opened when it is first used.

    A failure of the file or of the disk raises no error. It only makes entries missing.

    Args:
        folder: the platform's cache folder by default.
        limit: the largest size in bytes, by default NLGAUGE_CACHE_LIMIT or 4 GiB. Above it, the least recently used
            entries are removed.
        tell: a function that takes a line if a damaged file is set aside, and a line if nothing can be cached. By
            default, the line is printed on stderr.

    Raises:
        SpecError: NLGAUGE_CACHE_LIMIT is no number.
    """

    def __init__(
        self, folder: Path | None = None, limit: int | None = None, tell: Callable[[str], object] | None = None
    ) -> None:
        self.limit = default_limit() if limit is None else limit
        self.damaged: set[str] = set()
        """The keys whose entries were damaged when they were requested"""
        self.usable = True
        """Whether the cache can be used. It is False after the user was told that nothing is cached"""
        self._tell = tell or on_stderr
        self._lock = threading.RLock()
        self._connected: sqlite3.Connection | None = None
        self._renewals = 0
        self._pending: dict[str, bytes] = {}
        self._used: set[bytes] = set()
        self._broken: set[bytes] = set()
        try:
            self.folder = default_folder() if folder is None else folder
        except RuntimeError as error:
            self.folder = Path(os.devnull)
            self._give_up(error)
        self._path = self.folder / _FILE

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the intact entries of these keys, including entries that are not yet committed."""
        if not self.usable:
            return {}
        pending = {key: self._pending[key] for key in keys if key in self._pending}
        others = [key for key in keys if key not in pending]
        kept: dict[str, bytes] = {}
        return pending | (self._attempt(lambda connection: self._read(connection, others), kept) if others else kept)

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Hold entries, which the next commit writes."""
        if self.usable and self.limit > 0:
            self._pending.update(entries)

    def commit(self) -> None:
        """Write what was put since the last commit: all of it or, where that fails, nothing."""
        with self._lock:
            if self._pending:
                self._attempt(self._write, None)
                self._pending.clear()

    def info(self) -> Info:
        """Return the size of the cache and the number of its entries. This makes no file where there is none."""
        entries: dict[str, tuple[int, int]] = {}
        return Info(self.folder, self._size(), self.limit, self._attempt(_kinds, entries) if self._files() else entries)

    def clear(self) -> int:
        """Remove all files of the cache, and those that were set aside. The user is told if a file cannot be removed.

        Returns:
            The number of bytes of the files that were removed.
        """
        with self._lock:
            self._pending.clear()
            self._close()
            before = self._size()
            for path in sorted(self._files().values(), key=lambda path: path.name):  # the database before its -wal
                with suppress(OSError):
                    path.unlink()
            if left := self._files():
                self._give_up(OSError(0, f"{min(left)} cannot be removed"))
            return before - self._size()

    def verify(self) -> Verified:
        """Check every entry, drop those that are damaged, and return how many there were of each kind."""
        renewals = self._renewals
        intact, dropped = self._attempt(_check, (0, 0)) if self._files() else (0, 0)
        return Verified(intact, dropped, self._renewals > renewals)

    def close(self) -> None:
        """Close the file. Entries that were not committed are not written."""
        with self._lock:
            self._pending.clear()
            if self._used or self._broken:
                self._attempt(self._write, None)
            self._close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        self.close()

    def _attempt(self, step: Callable[[sqlite3.Connection], T], instead: T) -> T:
        """Return the result of a step on the file, or of a second try on a new file if it is damaged, or `instead`."""
        with self._lock:
            while self.usable:
                opened = self._connected is None
                try:
                    return step(self._connection())
                except _FAILURES as error:
                    if type(error) not in _DAMAGE or self._connected is None:
                        self._give_up(error)
                    elif opened:
                        self._set_aside(error)
                    else:
                        self._close()  # another process may have begun a new file since this one was opened
            return instead

    def _connection(self) -> sqlite3.Connection:
        """Return the connection to the file, which is opened or made where needed. Raises one of _FAILURES."""
        if self._connected is None:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _refuse_shared(self.folder)
            # Never open a file that may be in use but by SQLite: to close it would drop this process's locks on it.
            with suppress(FileExistsError):
                os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            _refuse_shared(self._path)
            self._connected = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
            _begin(self._connected)
        return self._connected

    def _set_aside(self, error: Exception) -> None:
        """Rename the damaged file, so that a new one is begun."""
        self._close()
        self._renewals += 1
        aside = self._path.with_name(f"nlgauge{_SCHEMA}-{time.time_ns()}.damaged")
        for end in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{end}").rename(f"{aside}{end}")
        if self._renewals > _RENEWALS:
            self._give_up(error)
        elif self._renewals == 1:
            self._tell(f"the cache is damaged ({_reason(error)}): it is set aside as {aside}, and a new one is begun")

    def _give_up(self, error: Exception) -> None:
        self._pending.clear()
        self._close()
        if self.usable:
            self.usable = False
            self._tell(f"no cache in {self.folder}, the run goes on without it: {_reason(error)} ({_REMEDY})")

    def _close(self) -> None:
        self._used.clear()
        self._broken.clear()
        if self._connected is not None:
            with suppress(sqlite3.Error):
                self._connected.close()
            self._connected = None

    def _files(self) -> dict[str, Path]:
        """Return all cache files in the folder by name, with those of earlier versions."""
        try:
            return {path.name: path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)}
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._give_up(error)
            return {}

    def _size(self) -> int:
        size = 0
        for path in self._files().values():
            with suppress(OSError):
                size += path.stat().st_size
        return size

    def _read(self, connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, bytes]:
        values: dict[str, bytes] = {}
        stale = int(time.time()) - _TOUCH_S
        for at in range(0, len(keys), _AT_ONCE):
            wanted = {_stored(key): key for key in keys[at : at + _AT_ONCE]}
            query = f"SELECT key, used, checksum, value FROM entry WHERE key IN ({','.join('?' * len(wanted))})"
            for stored, used, checksum, value in connection.execute(query, list(wanted)):
                if not _is_intact(stored, checksum, value):
                    self._broken.add(stored)
                    self.damaged.add(wanted.get(stored, ""))
                    continue
                values[wanted[stored]] = value
                if not (isinstance(used, int) and used >= stale):
                    self._used.add(stored)
        return values

    def _write(self, connection: sqlite3.Connection) -> None:
        """Write pending entries, mark used ones and drop damaged ones, in one transaction; then enforce the limit."""
        now = int(time.time())
        pending = ((_stored(key), value) for key, value in self._pending.items())
        entries = ((stored, now, _checksum(stored, value), value) for stored, value in pending)
        with _transaction(connection):
            connection.executemany("DELETE FROM entry WHERE key = ?", [(key,) for key in self._broken])
            connection.executemany("UPDATE entry SET used = ? WHERE key = ?", [(now, key) for key in self._used])
            connection.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)", entries)
        self._used.clear()
        self._broken.clear()
        if self._pending:
            _evict(connection, self.limit)


def _begin(connection: sqlite3.Connection) -> None:
    """Set a connection up, and make its table or check it. Raises sqlite3.Error, or DatabaseError for other tables."""
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            for setting in _SETTINGS:
                connection.execute(f"PRAGMA {setting}")
            if _pragma(connection, "user_version") == 0:
                with _transaction(connection):
                    if _pragma(connection, "user_version") == 0:
                        connection.execute(_TABLE)
                        connection.execute(f"PRAGMA user_version = {_SCHEMA}")
            break
        except sqlite3.OperationalError as error:
            # Two processes that turn a new file to WAL at once: SQLite does not wait there by itself.
            if "already exists" in str(error):
                raise sqlite3.DatabaseError("it has a table and no version") from None
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
    tables = [made for (made,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
    if _pragma(connection, "user_version") != _SCHEMA or tables != [_TABLE]:
        raise sqlite3.DatabaseError("it holds other tables")


def _evict(connection: sqlite3.Connection, limit: int) -> None:
    """Drop the least recently used entries if the file holds more bytes than the limit, until it holds 90 % of it."""
    if _held(connection) <= limit:
        return
    with _transaction(connection):
        excess = _held(connection) - _EVICTED_TO * limit
        last = None
        for place, size in connection.execute("SELECT rowid, length(value) FROM entry ORDER BY used, rowid"):
            if excess <= 0:
                break
            excess -= _ENTRY_BYTES + (size if isinstance(size, int) else 0)
            last = place
        query = "DELETE FROM entry WHERE (used, rowid) <= (SELECT used, rowid FROM entry WHERE rowid = ?)"
        connection.execute(query, (last,))
    if _pragma(connection, "page_count") * _pragma(connection, "page_size") > _SHRUNK_FROM * limit:
        with suppress(sqlite3.OperationalError):
            connection.execute("VACUUM")


def _kinds(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return how many entries of each kind there are, and the bytes of their values."""
    query = (
        "SELECT CAST(substr(key, 1, instr(key, x'7c') - 1) AS TEXT) AS kind, count(*), total(length(value))"
        " FROM entry GROUP BY kind ORDER BY kind"
    )
    return {str(kind): (count, int(size)) for kind, count, size in connection.execute(query)}


def _check(connection: sqlite3.Connection) -> tuple[int, int]:
    """Drop damaged entries; return how many were intact, and how many not. Raises sqlite3.Error for a bad file."""
    answer = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)
    total, broken = 0, []
    for place, key, checksum, value in connection.execute("SELECT rowid, key, checksum, value FROM entry"):
        total += 1
        if not _is_intact(key, checksum, value):
            broken.append((place,))
    if broken:
        with _transaction(connection):
            connection.executemany("DELETE FROM entry WHERE rowid = ?", broken)
    return total - len(broken), len(broken)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Open a transaction that writes everything, or nothing if its context ends by an exception."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        yield


def _stored(key: str) -> bytes:
    """Return the stored form of a key: its kind, which is the part before the first |, and a digest of the key."""
    kind = key.partition("|")[0].encode("utf-8", "surrogatepass")[:32]
    return kind + b"|" + blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _checksum(stored: bytes, value: bytes) -> bytes:
    return blake2b(value, digest_size=8, key=stored).digest()


def _is_intact(stored: object, checksum: object, value: object) -> bool:
    readable = isinstance(stored, bytes) and 0 < len(stored) <= 64 and isinstance(value, bytes)
    return readable and checksum == _checksum(stored, value)  # type: ignore[arg-type]


def _held(connection: sqlite3.Connection) -> int:
    pages = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
    return pages * _pragma(connection, "page_size")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _refuse_shared(place: Path) -> None:
    """Raise PermissionError for a place that other users may write, because they could change scores there.

    A group with the number of the user counts as the user alone, as is the custom of most systems.
    """
    if sys.platform == "win32":
        return
    state = place.stat()
    if state.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, f"{place} belongs to another user")
    if state.st_mode & stat.S_IWOTH or (state.st_mode & stat.S_IWGRP and state.st_gid != state.st_uid):
        raise PermissionError(errno.EPERM, f"other users may write {place}")


def _reason(error: Exception) -> str:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(reason.split())


def on_stderr(line: str) -> None:
    """Print a line on stderr, after the name of the library."""
    print(f"nlgauge: {line}", file=sys.stderr)
