"""Which file of a folder the store opens, and what it takes for damage."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from nlgauge.run.store.file import files, is_damage, open_newest, remove


def opened_number(folder: Path, after: int = 0) -> int:
    file = open_newest(folder, after)
    file.begin()
    assert file.in_place()
    file.close()
    return file.number


def test_the_highest_number_counts_and_lower_ones_go(tmp_path: Path) -> None:
    assert files(tmp_path / "none") == []
    assert opened_number(tmp_path) == opened_number(tmp_path) == 1
    assert opened_number(tmp_path, after=1) == opened_number(tmp_path) == 2
    assert opened_number(tmp_path, after=1) == 2
    assert [number for number, _ in files(tmp_path)] == [2]


def test_a_wal_without_its_database_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "nlgauge-4.sqlite-wal").write_bytes(bytes(5000))
    (tmp_path / "nlgauge-4.sqlite-shm").write_bytes(bytes(32768))
    assert opened_number(tmp_path) == 5
    assert [path.name for _, path in files(tmp_path)] == ["nlgauge-5.sqlite"]


def test_a_damaged_file_is_named_and_stays_until_a_new_one_is_there(tmp_path: Path) -> None:
    (tmp_path / "nlgauge-3.sqlite").write_text("no database")
    file = open_newest(tmp_path)
    with pytest.raises(sqlite3.DatabaseError) as raised:
        file.begin()
    file.close()
    assert file.number == 3 and is_damage(raised.value)
    assert [number for number, _ in files(tmp_path)] == [3]
    assert opened_number(tmp_path, after=3) == 4
    assert [number for number, _ in files(tmp_path)] == [4]


def test_other_files_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    names = {"notes.txt", "nlgauge-x.sqlite", "nlgauge-1.sqlite.old", "my-nlgauge-1.sqlite"}
    for name in names:
        (tmp_path / name).write_text(name)
    assert opened_number(tmp_path) == 1
    remove(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == names


def test_a_file_that_was_replaced_is_not_in_place(tmp_path: Path) -> None:
    file = open_newest(tmp_path)
    file.path.rename(tmp_path / "elsewhere")
    assert not file.in_place()
    (tmp_path / "another").write_bytes(b"")
    (tmp_path / "another").rename(file.path)
    assert not file.in_place()
    file.close()


def test_what_is_damage() -> None:
    damage = ("database disk image is malformed", "file is not a database", "no such table: entry", "disk I/O error")
    assert all(is_damage(sqlite3.DatabaseError(words)) for words in damage)
    surroundings = ("database or disk is full", "database is locked", "unable to open database file")
    assert not any(is_damage(sqlite3.OperationalError(words)) for words in surroundings)
    assert is_damage(OverflowError("int too large")) and not is_damage(OSError("read-only"))
