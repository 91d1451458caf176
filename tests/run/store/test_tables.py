"""The store's tables: seals, batches, use and eviction; tests/run/test_store.py sees them through the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from nlgauge.run.store import tables as store_tables
from nlgauge.run.store.tables import BATCH_BITS, check, evict, kinds, lay_out, read, write


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    lay_out(opened)
    yield opened
    opened.close()


def test_a_commit_is_a_batch(connection: sqlite3.Connection) -> None:
    write(connection, {"row|1": b"1", "feature|1": b"22"})
    write(connection, {"row|2": b"3", "row|1": b"1"})
    assert read(connection, ["row|1", "row|2", "row|3"]) == ({"row|1": b"1", "row|2": b"3"}, {2}, {})
    assert kinds(connection) == {"feature": (1, 2), "row": (2, 2)}
    assert [place >> BATCH_BITS for (place,) in connection.execute("SELECT id FROM entry ORDER BY id")] == [1, 2, 2]


def test_many_keys_are_asked_for_in_parts(connection: sqlite3.Connection) -> None:
    entries = {f"row|{n}": str(n).encode() for n in range(5000)}
    write(connection, entries)
    assert read(connection, [*entries, *entries])[0] == entries


@pytest.mark.parametrize(
    "change",
    [
        "content = x'00'", "content = 'text'", "content = 5", "seal = x''", "seal = 7",
        "content = (SELECT content FROM entry WHERE kind = 'other')",
        "(seal, content) = (SELECT seal, content FROM entry WHERE kind = 'other')",
    ],
)  # fmt: skip
def test_what_does_not_fit_its_seal_is_damaged(connection: sqlite3.Connection, change: str) -> None:
    write(connection, {"row|1": b"1", "other|1": b"another"})
    connection.execute(f"UPDATE entry SET {change} WHERE kind = 'row'")
    place = 1 << BATCH_BITS
    assert read(connection, ["row|1", "other|1"]) == ({"other|1": b"another"}, {1}, {place: "row|1"})
    assert check(connection) == (1, 1)
    assert check(connection) == (1, 0)


def test_keys_with_equal_first_bytes_are_never_taken_for_each_other(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = store_tables._digest
    monkeypatch.setattr(store_tables, "_digest", lambda key: bytes(8) + digest(key)[8:])
    write(connection, {"row|1": b"1"})
    assert read(connection, ["row|2"])[0] == {}
    write(connection, {"row|2": b"2"})
    assert (read(connection, ["row|2"])[0], read(connection, ["row|1"])[0]) == ({"row|2": b"2"}, {})


def test_use_is_marked_once_an_hour(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    for now in (0, 3000, 4000, 7000):
        monkeypatch.setattr("time.time", lambda now=now: now)
        write(connection, {"row|1": b"1"} if now == 0 else {}, used={1})
        used += connection.execute("SELECT used FROM batch").fetchone()
    assert used == [0, 0, 4000, 4000]


def test_eviction_ends_where_a_damaged_file_has_entries_without_a_batch(connection: sqlite3.Connection) -> None:
    write(connection, {f"row|{n}": bytes(10_000) for n in range(50)})
    connection.execute("DELETE FROM batch")
    write(connection, {"row|new": bytes(10)})
    evict(connection, 100_000)
    assert kinds(connection) == {}


def test_a_transaction_that_is_broken_off_leaves_nothing_open(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_off(batch: int, entries: object) -> Iterator[tuple[int, int, str, bytes, bytes]]:
        yield batch << BATCH_BITS, 1, "row", b"", b""
        raise KeyboardInterrupt

    monkeypatch.setattr(store_tables, "_rows", broken_off)
    with pytest.raises(KeyboardInterrupt):
        write(connection, {"row|1": b"1"})
    assert not connection.in_transaction
    assert kinds(connection) == {}
    assert connection.execute("SELECT count(*) FROM batch").fetchone() == (0,)


def test_tables_of_something_else_are_refused() -> None:
    other = sqlite3.connect(":memory:", isolation_level=None)
    other.execute("CREATE TABLE entry (name)")
    with pytest.raises(sqlite3.Error):
        lay_out(other)
    other.close()
