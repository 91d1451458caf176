"""What was computed once, kept by content: scores of rows, features. No run fails because of it.

An entry comes back byte for byte as it was put, or not at all: each is sealed with a checksum of its key and content.
Several processes use one folder at once. Where the place cannot be used the user is told once, and nothing is kept.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from nlgauge.errors import SpecError
from nlgauge.run.store.file import FAULTS, StoreFile, files, is_damage, open_newest, remove
from nlgauge.run.store.tables import check, evict, kinds, read, write

LIMIT = 4 << 30
_OFF = "off"


def is_off() -> bool:
    """Whether nothing is to be kept unless a folder is named."""
    return os.environ.get("NLGAUGE_CACHE") == _OFF


def default_folder() -> Path:
    """What NLGAUGE_CACHE names, or the platform's folder. Raises RuntimeError for a user without a home."""
    if (named := os.environ.get("NLGAUGE_CACHE")) and named != _OFF:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "nlgauge" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "nlgauge"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nlgauge"


def default_limit() -> int:
    """Bytes. Raises SpecError where NLGAUGE_CACHE_LIMIT is no number of them."""
    named = os.environ.get("NLGAUGE_CACHE_LIMIT")
    if named and not (named.isascii() and named.isdecimal()):
        raise SpecError(f"NLGAUGE_CACHE_LIMIT={named}: give a number of bytes, as {LIMIT}")
    return int(named) if named else LIMIT


T = TypeVar("T")

_RENEWALS = 2  # in one process: a disk that damages what it is given is not tried for ever
_REMEDY = "name another folder by --cache or NLGAUGE_CACHE, or set NLGAUGE_CACHE=off"


@dataclass(frozen=True)
class Info:
    """What a store holds."""

    folder: Path
    bytes: int
    """What its files take on the disk"""
    limit: int
    entries: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By kind: how many, and the bytes of their contents"""


@dataclass(frozen=True)
class Verified:
    """What a look at every entry came to."""

    intact: int
    dropped: int
    anew: bool
    """Whether the file itself was damaged, so that all was dropped"""


@contextmanager
def opened(cache: bool | str | Path) -> Iterator[Store | None]:
    """What `evaluate(cache=...)` takes: True for the platform's place, a folder, or False; None where nothing is kept.

    What was put and not committed is kept at the end, unless the inside raises.
    """
    if cache is False or (cache is True and is_off()):
        yield None
        return
    with Store(None if cache is True else Path(cache)) as store:
        yield store


class Store:
    """Contents by key, in a folder; opened when it is first used.

    usable: False from the moment on at which the user was told that no entries are kept.
    folder: the platform's cache folder by default. limit: bytes, those of NLGAUGE_CACHE_LIMIT or 4 GiB by default; over
    it the batches (what one commit wrote) that were not used for longest go. tell: takes a line where the file is begun
    anew, and one where nothing can be kept; printed on stderr by default. Raises SpecError where NLGAUGE_CACHE_LIMIT is
    no number, and nothing else: whatever happens to the file or the disk, entries are merely absent.
    """

    def __init__(
        self, folder: Path | None = None, limit: int | None = None, tell: Callable[[str], object] | None = None
    ) -> None:
        self.limit = default_limit() if limit is None else limit
        self.damaged: set[str] = set()
        """Keys whose entry was there when it was asked for, and damaged"""
        self._tell = tell or _on_stderr
        self._lock = threading.RLock()
        self._file: StoreFile | None = None
        self._after = self._renewals = 0
        self.usable = True
        self._pending: dict[str, bytes] = {}
        self._used: set[int] = set()
        self._broken: set[int] = set()
        try:
            self.folder = default_folder() if folder is None else folder
        except RuntimeError as error:
            self.folder = Path(os.devnull)
            self._give_up(error)

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """What is there of some keys, and intact; what was put and not yet committed too."""
        if not self.usable:
            return {}
        pending = {key: self._pending[key] for key in keys if key in self._pending}
        others = [key for key in keys if key not in pending]
        kept: dict[str, bytes] = {}
        if others:
            kept = self._attempt(lambda connection: self._read(connection, others), kept)
        return pending | kept

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Keep more, with the next commit."""
        if self.usable and self.limit > 0:
            self._pending.update(entries)

    def commit(self) -> None:
        """Write what was put since the last commit: all of it or, where that fails, nothing."""
        with self._lock:
            if self._pending:
                self._attempt(self._write, None)
                self._pending.clear()

    def info(self) -> Info:
        """What the store holds; makes no file where there is none."""
        size, entries = self._size(), dict[str, tuple[int, int]]()
        return Info(self.folder, size, self.limit, self._attempt(kinds, entries) if self._present() else entries)

    def clear(self) -> int:
        """Remove all entries with the files that hold them: how many bytes these had. Tells what cannot be removed."""
        with self._lock:
            self._pending.clear()
            self._close_file()
            before = self._size()
            with suppress(OSError):
                remove(self.folder)
            if present := self._present():
                self._give_up(OSError(0, f"{present[0].name} cannot be removed"))
            return before - self._size()

    def verify(self) -> Verified:
        """Check every entry, and drop those that are damaged."""
        renewals = self._renewals
        intact, dropped = self._attempt(check, (0, 0)) if self._present() else (0, 0)
        return Verified(intact, dropped, self._renewals > renewals)

    def close(self) -> None:
        """Close the file; what was not committed is not kept."""
        with self._lock:
            self._pending.clear()
            if self._used or self._broken:
                self._attempt(self._write, None)
            self._close_file()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.commit()
        self.close()

    def _attempt(self, step: Callable[[sqlite3.Connection], T], instead: T) -> T:
        """Take a step on the file; once more on a new one where it turns out damaged; `instead` where nothing helps."""
        with self._lock:
            while self.usable:
                try:
                    return step(self._connection())
                except (*FAULTS, OSError) as error:
                    if self._file is not None and is_damage(error):
                        self._pass_over(self._file.number, error)
                    else:
                        self._give_up(error)
            return instead

    def _connection(self) -> sqlite3.Connection:
        if self._file is not None and not self._file.in_place():
            self._close_file()
        if self._file is None:
            self._file = open_newest(self.folder, self._after)
            self._file.begin()
        return self._file.connection

    def _pass_over(self, number: int, error: Exception) -> None:
        self._close_file()
        self._after, self._renewals = number, self._renewals + 1
        if self._renewals > _RENEWALS:
            self._give_up(error)
        elif self._renewals == 1:
            self._tell(f"the cache in {self.folder} is begun anew: {_reason(error)}")

    def _give_up(self, error: Exception) -> None:
        self._pending.clear()
        self._close_file()
        if self.usable:
            self.usable = False
            self._tell(f"no scores are kept in {self.folder}: {_reason(error)} ({_REMEDY})")

    def _close_file(self) -> None:
        self._used.clear()
        self._broken.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _present(self) -> list[Path]:
        try:
            return [path for _, path in files(self.folder)]
        except OSError as error:
            self._give_up(error)
            return []

    def _size(self) -> int:
        size = 0
        for path in self._present():
            with suppress(OSError):
                size += path.stat().st_size
        return size

    def _read(self, connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, bytes]:
        contents, batches, damaged = read(connection, keys)
        self._used |= batches
        self._broken |= damaged.keys()
        self.damaged.update(damaged.values())
        return contents

    def _write(self, connection: sqlite3.Connection) -> None:
        write(connection, self._pending, self._used, self._broken)
        self._used.clear()
        self._broken.clear()
        if self._pending:
            evict(connection, self.limit)


def _reason(error: Exception) -> str:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(reason.split())


def _on_stderr(line: str) -> None:
    print(f"nlgauge: {line}", file=sys.stderr)
