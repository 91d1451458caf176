"""The store: what is put comes back byte for byte or not at all, whatever happens to its file; nothing is raised."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from nlgauge.errors import SpecError
from nlgauge.run import store as store_module
from nlgauge.run.store import LIMIT, Store, Verified, default_folder, default_limit, is_off, opened

_RANDOM = random.Random(7)
ENTRIES = {
    **{f"row|metric|{n}": _RANDOM.randbytes(20) for n in range(150)},
    **{f"feature|vectors|{n}": _RANDOM.randbytes(20_000) for n in range(5)},
    "row|an empty one": b"",
    "row|\ud800, which no encoding has": b"surrogate",
}


@pytest.fixture
def told() -> list[str]:
    return []


def filled(folder: Path, entries: dict[str, bytes] = ENTRIES, parts: int = 3) -> Path:
    """A closed store's only file."""
    with Store(folder) as store:
        for part in range(parts):
            store.put(dict(list(entries.items())[part::parts]))
            store.commit()
    (file,) = folder.iterdir()
    return file


def sound(folder: Path, told: list[str]) -> dict[str, bytes]:
    """What a store gives of the entries, none of them wrong, before all are put again and there."""
    with Store(folder, tell=told.append) as store:
        there = store.get(list(ENTRIES))
        assert {key: ENTRIES[key] for key in there} == there
        store.put({key: content for key, content in ENTRIES.items() if key not in there})
        store.commit()
        assert store.usable or "the run goes on without it" in told[-1]
    with Store(folder, tell=told.append) as store:
        again = store.get(list(ENTRIES))
        assert {key: ENTRIES[key] for key in again} == again
    return there


def test_only_what_was_committed_is_cached(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put({"row|1": b"1"})
    store.commit()
    store.put({"row|2": b"2"})
    store.close()
    with pytest.raises(KeyboardInterrupt), opened(tmp_path) as interrupted:
        assert interrupted is not None
        interrupted.put({"row|3": b"3"})
        raise KeyboardInterrupt
    with opened(str(tmp_path)) as last:
        assert last is not None
        assert last.get(["row|1", "row|2", "row|3"]) == {"row|1": b"1"}
        last.put({"row|4": b"4"})
    with opened(tmp_path) as after:
        assert after is not None and after.get(["row|4"]) == {"row|4": b"4"}


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o702, 0o720])
@pytest.mark.parametrize("of", ["folder", "file"])
def test_what_others_may_write_is_refused_and_told_once(tmp_path: Path, told: list[str], mode: int, of: str) -> None:
    folder = tmp_path / "cache"
    file = filled(folder)
    place = folder if of == "folder" else file
    os.chown(place, -1, os.geteuid() + 1) if os.geteuid() == 0 else None
    place.chmod(mode)
    if mode == 0o720 and place.stat().st_gid == os.geteuid():
        pytest.skip("a group of the user alone")
    with Store(folder, tell=told.append) as store:
        assert store.get(list(ENTRIES)) == {}
        store.put(ENTRIES)
        store.commit()
        assert not store.usable
    assert len(told) == 1
    assert f"no cache in {folder}, the run goes on without it: other users may write {place} (name" in told[0]
    place.chmod(0o755)
    with Store(folder, tell=told.append) as store:
        assert store.get(list(ENTRIES)) == ENTRIES
    assert len(told) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="owners of POSIX")
def test_what_belongs_to_another_user_is_refused_and_told(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "cache")
    user = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: user)
    with Store(tmp_path / "cache", tell=told.append) as store:
        assert store.get(list(ENTRIES)) == {} and not store.usable
    assert len(told) == 1 and f"{tmp_path / 'cache'} belongs to another user (name another folder" in told[0]


def test_no_text_is_stored(tmp_path: Path) -> None:
    file = filled(tmp_path, {"row|spec|A sentence that is nobody's business": b"1"}, 1)
    assert b"sentence" not in file.read_bytes()


def test_verify_drops_what_is_damaged(tmp_path: Path, told: list[str]) -> None:
    file = filled(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE entry SET value = zeroblob(3) WHERE rowid % 50 = 7")
        (changed,) = connection.execute("SELECT changes()").fetchone()
    connection.close()
    with Store(tmp_path, tell=told.append) as store:
        assert store.verify() == Verified(len(ENTRIES) - changed, changed, False)
        assert store.verify() == Verified(len(ENTRIES) - changed, 0, False)
    data = bytearray(file.read_bytes())
    data[8192:16384] = bytes(8192)
    file.write_bytes(data)
    with Store(tmp_path, tell=told.append) as store:
        assert store.verify() == Verified(0, 0, True)
    assert len(told) == 1 and "set aside as" in told[0]


def test_info_and_clear(tmp_path: Path) -> None:
    with Store(tmp_path / "cache", limit=10**9) as store:
        assert (store.info().bytes, store.info().entries) == (0, {})
        assert not (tmp_path / "cache").exists()
        assert store.clear() == 0
    filled(tmp_path / "cache")
    with Store(tmp_path / "cache", limit=10**9) as store:
        info = store.info()
        rows = [content for key, content in ENTRIES.items() if key.startswith("row")]
        assert info.entries == {"feature": (5, 100_000), "row": (len(rows), sum(map(len, rows)))}
        assert (info.folder, info.limit) == (tmp_path / "cache", 10**9)
        assert store.clear() == info.bytes > 100_000
        assert store.get(list(ENTRIES)) == {}


def test_cut_files(tmp_path: Path, told: list[str]) -> None:
    file, random_ = filled(tmp_path), random.Random(12)
    whole = file.read_bytes()
    for length in [0, 1, 100, 8192, len(whole) - 1, *(random_.randrange(len(whole)) for _ in range(30))]:
        _replace(tmp_path, file, whole[:length])
        assert len(sound(tmp_path, told)) < len(ENTRIES)


def _replace(folder: Path, file: Path, content: bytes | bytearray) -> None:
    for other in folder.iterdir():
        other.unlink()
    file.write_bytes(content)


@pytest.mark.parametrize(
    "change",
    [
        "PRAGMA user_version = 77",
        "ALTER TABLE entry RENAME COLUMN checksum TO stamp",
        "DROP TABLE entry",
        "CREATE TRIGGER kept AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "PRAGMA user_version = 0",
    ],
)
def test_another_schema_is_begun_again(tmp_path: Path, told: list[str], change: str) -> None:
    file = filled(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute(change)
    connection.close()
    assert sound(tmp_path, told) == {}
    assert len(told) == 1 and "set aside as" in told[0]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".damaged", ".sqlite"]
    assert file.is_file()


def test_a_full_disk_is_told_once_and_the_run_goes_on(
    tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_SETTINGS", (*store_module._SETTINGS, "max_page_count=30"))
    with Store(tmp_path, tell=told.append) as store:
        store.put({"row|1": b"1"})
        store.commit()
        for _ in range(3):
            store.put(ENTRIES | {"feature|large": bytes(10**6)})
            store.commit()
        assert store.get(["row|1"]) == {}  # as if empty
        assert not store.usable
    assert len(told) == 1 and "full" in told[0] and "NLGAUGE_CACHE=off" in told[0]
    monkeypatch.undo()
    with Store(tmp_path, tell=told.append) as store:
        assert store.get([*ENTRIES, "row|1"]) == {"row|1": b"1"}  # of the commit that failed nothing


def test_a_damaged_file_is_set_aside_whole_and_cleared_by_a_person_alone(tmp_path: Path, told: list[str]) -> None:
    file = filled(tmp_path)
    noise = random.Random(3).randbytes(30_000)
    file.write_bytes(noise)
    for _ in range(2):
        with Store(tmp_path, tell=told.append) as store:
            store.get(["row|1"])
            store.put({"row|1": b"1"})
    (aside,) = tmp_path.glob("*.damaged")
    assert aside.read_bytes() == noise
    assert len(told) == 1 and str(aside) in told[0] and "file is not a database" in told[0]
    with Store(tmp_path) as store:
        assert store.info().bytes > len(noise)
        store.clear()
    assert list(tmp_path.iterdir()) == []


def test_two_that_see_the_same_damage_begin_one_new_file(tmp_path: Path, told: list[str]) -> None:
    file = filled(tmp_path)
    with Store(tmp_path, tell=told.append) as first, Store(tmp_path, tell=told.append) as second:
        for store in (first, second):
            store.info()  # the file is open
        file.write_bytes(random.Random(3).randbytes(file.stat().st_size))
        for store in (first, second, first, second):
            there = store.get(list(ENTRIES))
            assert {key: ENTRIES[key] for key in there} == there
            store.put(ENTRIES)
            store.commit()
        assert first.get(list(ENTRIES)) == second.get(list(ENTRIES)) == ENTRIES
    assert len(list(tmp_path.glob("*.damaged"))) == len(told) == 1
    with Store(tmp_path, tell=told.append) as last:
        assert last.get(list(ENTRIES)) == ENTRIES and last.verify().dropped == 0


def test_a_cache_that_is_cleared_under_a_run_harms_neither(tmp_path: Path, told: list[str]) -> None:
    filled(tmp_path)
    with Store(tmp_path, tell=told.append) as run, Store(tmp_path, tell=told.append) as other:
        assert run.get(list(ENTRIES)) == ENTRIES
        assert other.clear() > 100_000
        other.put({"row|new": b"1"})
        other.commit()
        run.put({"row|more": b"2"})
        run.commit()
        assert run.get(["row|more"]) == {"row|more": b"2"}
        assert other.get(["row|new"]) == {"row|new": b"1"}
    with Store(tmp_path, tell=told.append) as last:
        assert last.get(["row|new"]) == {"row|new": b"1"}
    assert told == []


def test_what_was_not_used_for_longest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**9, 7200))
    monkeypatch.setattr("time.time", lambda: next(clock))
    limit, size = 1_000_000, 50_000
    for n in range(40):
        with Store(tmp_path, limit) as store:
            assert n == 0 or store.get(["feature|0"])  # used in every run, so that it stays
            store.put({f"feature|{n}": bytes([n]) * size, f"row|{n}": b"1"})
    with Store(tmp_path, limit) as store:
        left = [n for n in range(40) if store.get([f"feature|{n}"])]
        assert left[0] == 0 and left[1:] == list(range(left[1], 40))
        assert [n for n in range(40) if store.get([f"row|{n}"])][-len(left) + 1 :] == left[1:]
        assert 0.75 * limit < len(left) * size < limit
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1.2 * limit
    with Store(tmp_path, limit // 4) as store:
        store.put({"row|last": b"1"})
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1.25 * limit // 4
    with Store(tmp_path, 0) as store:
        store.put({"row|none": b"1"})
        assert store.get(["row|none", "row|last"]) == {"row|last": b"1"}


_WRITER = """
import random, sys
from pathlib import Path
from nlgauge.run.store import Store
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
numbers = random.Random(seed).sample(range(400), 300)
for at in range(0, 300, 30):
    with Store(folder) as store:
        keys = {f"row|{n}": str(n).encode() * 50 for n in numbers[at : at + 30]}
        there = store.get(list(keys))
        assert all(keys[key] == content for key, content in there.items())
        store.put(keys)
        store.commit()
        if seed == 9 and at == 150:
            store.put({"row|half": b"1"} | {f"row|half {n}": bytes(1000) for n in range(100)})
            store._connection().execute("BEGIN IMMEDIATE")
            __import__("os")._exit(9)
print(len(numbers))
"""


def test_several_processes_on_one_folder(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _WRITER, str(tmp_path / "cache"), str(seed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in (1, 2, 9)
    ]
    ends = [(*run.communicate(timeout=120), run.returncode) for run in runs]
    assert ends == [("300\n", "", 0), ("300\n", "", 0), ("", "", 9)]
    numbers = {n for seed in (1, 2) for n in random.Random(seed).sample(range(400), 300)}
    with Store(tmp_path / "cache") as store:
        there = store.get([f"row|{n}" for n in range(400)])
        assert {f"row|{n}" for n in numbers} <= there.keys()
        assert all(content == key[4:].encode() * 50 for key, content in there.items())
        assert store.get(["row|half"]) == {}
        assert store.verify().dropped == 0


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {}, "home/.cache/nlgauge"),
        ("linux", {"XDG_CACHE_HOME": "xdg"}, "xdg/nlgauge"),
        ("darwin", {}, "home/Library/Caches/nlgauge"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/nlgauge/Cache"),
        ("win32", {}, "home/AppData/Local/nlgauge/Cache"),
        ("linux", {"NLGAUGE_CACHE": "named", "XDG_CACHE_HOME": "xdg"}, "named"),
        ("linux", {"NLGAUGE_CACHE": "off"}, "home/.cache/nlgauge"),
    ],
)
def test_place(platform: str, variables: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NLGAUGE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert default_folder() == Path(place)
    assert is_off() == (variables.get("NLGAUGE_CACHE") == "off")


def test_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NLGAUGE_CACHE_LIMIT", raising=False)
    assert default_limit() == LIMIT
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", "1000")
    assert default_limit() == 1000
    for wrong in ("4 GiB", "-1", "1e9"):
        monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", wrong)
        with pytest.raises(SpecError, match="number of bytes"):
            default_limit()
