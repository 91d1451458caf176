"""The tables of the store: entries that are sealed with a checksum, in the batches that they were written in.

The entries of one commit are a batch. Their ids are the batch's, shifted, and a count: they lie side by side, are
marked as used in the batch's one row, and are evicted as one range. An entry is found by the first 8 bytes of its key's
digest. Its seal is the next 8 bytes and the checksum of digest and content: of two keys with the same first bytes, of
which none will ever be seen, one would be absent and not wrong.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b

SCHEMA = 1
BATCH_BITS = 32

_TABLES = (
    "CREATE TABLE batch (id INTEGER PRIMARY KEY, used INTEGER NOT NULL, bytes INTEGER NOT NULL)",
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, kind TEXT NOT NULL, seal BLOB NOT NULL,"
    " content BLOB NOT NULL)",
)
_AT_ONCE = 900  # parameters of a query: old builds of SQLite take 999
_TOUCH_S = 3600  # a batch is marked as used once in so long
_ENTRY_BYTES = 64  # of an entry beside its content, about
_KIND_CHARACTERS = 32
_EVICTED_TO = 0.9
_SHRUNK_FROM = 1.25  # a file so many times larger than the limit is one from before the limit was lowered


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the tables of a new file, or look at those of an old one. Raises sqlite3.Error for other tables."""
    if _pragma(connection, "user_version") == 0:
        with _transaction(connection):
            if _pragma(connection, "user_version") == 0:
                for statement in (*_TABLES, f"PRAGMA user_version = {SCHEMA}"):
                    connection.execute(statement)
    if _pragma(connection, "user_version") != SCHEMA:
        raise sqlite3.DatabaseError("written by another version")
    if {made for (made,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")} != set(_TABLES):
        raise sqlite3.DatabaseError("it holds other tables")


def read(connection: sqlite3.Connection, keys: Sequence[str]) -> tuple[dict[str, bytes], set[int], dict[int, str]]:
    """The entries of some keys, the batches that they lie in, and by id the keys of those that were damaged."""
    contents: dict[str, bytes] = {}
    batches: set[int] = set()
    damaged: dict[int, str] = {}
    for at in range(0, len(keys), _AT_ONCE):
        wanted = {}
        for key in keys[at : at + _AT_ONCE]:
            digest = _digest(key)
            wanted[_number(digest)] = key, digest
        query = f"SELECT id, key, seal, content FROM entry WHERE key IN ({','.join('?' * len(wanted))})"
        for place, number, seal, content in connection.execute(query, list(wanted)):
            key, digest = wanted.get(number, ("", b""))
            if digest and _is_sealed(digest, seal, content):
                contents[key] = content
                batches.add(place >> BATCH_BITS)
            else:
                damaged[place] = key
    return contents, batches, damaged


def write(
    connection: sqlite3.Connection, entries: Mapping[str, bytes], used: Iterable[int] = (), dropped: Iterable[int] = ()
) -> None:
    """Write entries as one batch, mark batches as used and drop entries by id, in one transaction.

    Nothing is written where nothing is new: a batch that was marked within the hour is not marked again.
    """
    now, some = int(time.time()), set(used)
    old = connection.execute("SELECT id FROM batch WHERE used < ?", (now - _TOUCH_S,)) if some else ()
    stale = [(now, batch) for (batch,) in old if batch in some]
    broken = [(place,) for place in dropped]
    if not (entries or stale or broken):
        return
    with _transaction(connection):
        connection.executemany("DELETE FROM entry WHERE id = ?", broken)
        connection.executemany("UPDATE batch SET used = ? WHERE id = ?", stale)
        if entries:
            size = sum(_ENTRY_BYTES + len(content) for content in entries.values())
            batch = connection.execute("INSERT INTO batch (used, bytes) VALUES (?, ?)", (now, size)).lastrowid
            rows = _rows(batch or 0, entries)
            connection.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?)", rows)


def evict(connection: sqlite3.Connection, limit: int) -> None:
    """Where the file holds more bytes than the limit, drop the batches that were not used for longest, to 90 %."""
    if _held(connection) <= limit:
        return
    with _transaction(connection):
        excess = _held(connection) - _EVICTED_TO * limit
        for batch, size in connection.execute("SELECT id, bytes FROM batch ORDER BY used, id").fetchall():
            if excess <= 0:
                break
            first = batch << BATCH_BITS
            connection.execute("DELETE FROM entry WHERE id BETWEEN ? AND ?", (first, first + (1 << BATCH_BITS) - 1))
            connection.execute("DELETE FROM batch WHERE id = ?", (batch,))
            excess -= size if isinstance(size, int) else 0
        if excess > 0:
            connection.execute("DELETE FROM entry")  # what is left belongs to no batch, which takes a damaged file
    if _pragma(connection, "page_count") * _pragma(connection, "page_size") > _SHRUNK_FROM * limit:
        with suppress(sqlite3.OperationalError):
            connection.execute("VACUUM")


def kinds(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """How many entries of each kind there are, and the bytes of their contents."""
    query = "SELECT kind, count(*), total(length(content)) FROM entry GROUP BY kind ORDER BY kind"
    return {str(kind): (count, int(size)) for kind, count, size in connection.execute(query)}


def check(connection: sqlite3.Connection) -> tuple[int, int]:
    """Drop the entries that are damaged: how many were intact, how many not. Raises sqlite3.Error for a bad file."""
    answer = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)
    total, broken = 0, []
    for place, number, seal, content in connection.execute("SELECT id, key, seal, content FROM entry"):
        total += 1
        rest = seal[:8] if isinstance(seal, bytes) else b""
        if not (
            isinstance(number, int) and _is_sealed(number.to_bytes(8, "little", signed=True) + rest, seal, content)
        ):
            broken.append(place)
    write(connection, {}, dropped=broken)
    return total - len(broken), len(broken)


def _transaction(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Begin a transaction that writes; `with` ends it: all of it, or nothing where the inside raises."""
    connection.execute("BEGIN IMMEDIATE")
    return connection


def _rows(batch: int, entries: Mapping[str, bytes]) -> Iterator[tuple[int, int, str, bytes, bytes]]:
    for place, (key, content) in enumerate(entries.items(), batch << BATCH_BITS):
        digest = _digest(key)
        kind = key.partition("|")[0][:_KIND_CHARACTERS]
        yield place, _number(digest), kind, digest[8:] + _checksum(digest, content), content


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _number(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "little", signed=True)


def _checksum(digest: bytes, content: bytes) -> bytes:
    return blake2b(content, digest_size=8, key=digest).digest()


def _is_sealed(digest: bytes, seal: object, content: object) -> bool:
    return isinstance(content, bytes) and seal == digest[8:] + _checksum(digest, content)


def _held(connection: sqlite3.Connection) -> int:
    pages = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
    return pages * _pragma(connection, "page_size")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
