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


def test_what_is_put_comes_back_in_another_store(tmp_path: Path) -> None:
    filled(tmp_path / "deep" / "cache")
    with Store(tmp_path / "deep" / "cache") as store:
        assert store.get([*ENTRIES, "row|none such"]) == ENTRIES
        store.put({"row|metric|0": b"another"})
        assert store.get(["row|metric|0"]) == {"row|metric|0": b"another"}
        store.commit()
        assert store.get(["row|metric|0"]) == {"row|metric|0": b"another"}
        assert store.damaged == set()


def test_only_what_was_committed_is_kept(tmp_path: Path) -> None:
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


def test_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "named"))
    with opened(False) as store:
        assert store is None
    with opened(True) as store:
        assert store is not None and store.folder == tmp_path / "named"
    monkeypatch.setenv("NLGAUGE_CACHE", "off")
    with opened(True) as store:
        assert store is None
    with opened(tmp_path) as store:
        assert store is not None and store.folder == tmp_path
    assert list(tmp_path.iterdir()) == []  # a store that nobody used leaves nothing


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    file = filled(tmp_path / "cache")
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


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


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_group_of_the_user_alone_may_write(tmp_path: Path, told: list[str]) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o775)
    state = (tmp_path / "cache").stat()
    with Store(tmp_path / "cache", tell=told.append) as store:
        store.put(ENTRIES)
        store.commit()
        assert store.usable is (state.st_uid == state.st_gid)


def test_no_text_is_stored(tmp_path: Path) -> None:
    file = filled(tmp_path, {"row|spec|A sentence that is nobody's business": b"1"}, 1)
    assert b"sentence" not in file.read_bytes()


def test_a_damaged_entry_is_absent_and_said_and_can_be_put_again(tmp_path: Path) -> None:
    file = filled(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE entry SET value = x'00' || substr(value, 2) WHERE length(value) = 20000")
    connection.close()
    broken = {key for key in ENTRIES if key.startswith("feature")}
    with Store(tmp_path) as store:
        assert store.get(list(ENTRIES)).keys() == ENTRIES.keys() - broken
        assert store.damaged == broken
        store.put({key: ENTRIES[key] for key in broken})
    with Store(tmp_path) as store:
        assert store.get(list(ENTRIES)) == ENTRIES
        assert store.damaged == set()


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


def test_flipped_bytes(tmp_path: Path, told: list[str]) -> None:
    file, random_ = filled(tmp_path), random.Random(11)
    whole, lost = file.read_bytes(), 0
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(random_.choice((1, 1, 30))):
            # Half of them in the first bytes of a page, where its structure is.
            page = 8192 * random_.randrange(len(data) // 8192)
            data[page + random_.randrange(random_.choice((100, 8192)))] ^= 1 << random_.randrange(8)
        _replace(tmp_path, file, data)
        lost += len(ENTRIES) - len(sound(tmp_path, told))
    assert lost > 0


def test_flipped_bits_of_what_the_file_says_of_its_tables(tmp_path: Path, told: list[str]) -> None:
    """INTEGER PRIMARY KEY with another letter is another table, whose ids are NULL."""
    file = filled(tmp_path)
    whole = file.read_bytes()
    for at in range(whole.index(b"CREATE TABLE entry"), whole.index(b"CREATE TABLE entry") + 130):
        data = bytearray(whole)
        data[at] ^= 1 << at % 7
        _replace(tmp_path, file, data)
        sound(tmp_path, told)


def test_cut_files(tmp_path: Path, told: list[str]) -> None:
    file, random_ = filled(tmp_path), random.Random(12)
    whole = file.read_bytes()
    for length in [0, 1, 100, 8192, len(whole) - 1, *(random_.randrange(len(whole)) for _ in range(30))]:
        _replace(tmp_path, file, whole[:length])
        assert len(sound(tmp_path, told)) < len(ENTRIES)


@pytest.mark.parametrize("content", [b"", b"no database", bytes(100_000), random.Random(1).randbytes(50_000)])
def test_files_that_are_no_databases(tmp_path: Path, told: list[str], content: bytes) -> None:
    file = filled(tmp_path)
    _replace(tmp_path, file, content)
    (tmp_path / f"{file.name}-wal").write_bytes(content)
    assert sound(tmp_path, told) == {}
    assert len(told) == (content != b"")


def _replace(folder: Path, file: Path, content: bytes | bytearray) -> None:
    for other in folder.iterdir():
        other.unlink()
    file.write_bytes(content)


@pytest.mark.parametrize(
    "change",
    [
        "PRAGMA user_version = 77", "ALTER TABLE entry RENAME COLUMN checksum TO stamp", "DROP TABLE entry",
        "CREATE TRIGGER kept AFTER INSERT ON entry BEGIN DELETE FROM entry; END", "PRAGMA user_version = 0",
    ],
)  # fmt: skip
def test_another_schema_is_begun_anew(tmp_path: Path, told: list[str], change: str) -> None:
    file = filled(tmp_path)
    with sqlite3.connect(file) as connection:
        connection.execute(change)
    connection.close()
    assert sound(tmp_path, told) == {}
    assert len(told) == 1 and "set aside as" in told[0]
    assert {path.name for path in tmp_path.iterdir()} == {"nlgauge2-1.damaged", "nlgauge2-2.sqlite"}


def test_two_stores_that_see_the_same_damage_go_on_in_the_same_file(tmp_path: Path, told: list[str]) -> None:
    file = filled(tmp_path)
    with Store(tmp_path, tell=told.append) as one, Store(tmp_path, tell=told.append) as other:
        assert one.get(list(ENTRIES)) == other.get(list(ENTRIES)) == ENTRIES
        os.truncate(file, 20_000)
        for store, name in ((one, "one"), (other, "other")):
            store.get(list(ENTRIES))
            store.put({f"row|{name}": name.encode()})
            store.commit()
        assert one.get(["row|one", "row|other"]) == {"row|one": b"one", "row|other": b"other"}
    left = {path.name for path in tmp_path.iterdir()} - {"nlgauge2-1.damaged-wal", "nlgauge2-1.damaged-shm"}
    assert left == {"nlgauge2-1.damaged", "nlgauge2-2.sqlite"}


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_files_removed_under_an_open_store(tmp_path: Path, told: list[str]) -> None:
    filled(tmp_path)
    for which in ("nlgauge*.sqlite", "*"):
        with Store(tmp_path, tell=told.append) as store:
            store.get(list(ENTRIES))
            for path in sorted(tmp_path.glob(which)):
                path.unlink()
            with Store(tmp_path) as other:  # which now has a file of its own
                store.put(ENTRIES)
                store.commit()
                assert other.get(list(ENTRIES)) == {} or other.get(list(ENTRIES)) == ENTRIES
                assert store.get(list(ENTRIES)) == ENTRIES
        with Store(tmp_path) as store:
            assert store.get(list(ENTRIES)) == ENTRIES
    assert told == []


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


@pytest.mark.parametrize(
    "line",
    ["disk I/O error", "database or disk is full", "attempt to write a readonly database", "database is locked",
     "unable to open database file", "out of memory", "no such table: entry"],
)  # fmt: skip
def test_a_failing_disk_removes_and_renames_nothing(tmp_path: Path, told: list[str], line: str) -> None:
    file = filled(tmp_path)
    whole = file.read_bytes()

    def fails(connection: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError(line)

    with Store(tmp_path, tell=told.append) as store:
        assert store.get(list(ENTRIES)) == ENTRIES
        store._attempt(fails, None)
        store.put({"row|1": b"1"})
        store.commit()
        assert store.get(list(ENTRIES)) == {} and not store.usable
    assert [path.name for path in tmp_path.iterdir()] == [file.name] and file.read_bytes() == whole
    assert len(told) == 1 and line in told[0] and "the run goes on without it" in told[0] and "\n" not in told[0]
    with Store(tmp_path) as store:
        assert store.get(list(ENTRIES)) == ENTRIES


_LIMITED = """
import resource, signal, sys
from pathlib import Path
from nlgauge.run.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
with Store(Path(sys.argv[1])) as store:
    store.put({f"feature|{n} more": bytes(9000) for n in range(100)})
    store.commit()
    store.get(["row|metric|1"])
print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("size", [4096, 50_000, 200_000])
def test_a_disk_that_takes_no_more_keeps_what_it_has(tmp_path: Path, size: int) -> None:
    filled(tmp_path)
    command = [sys.executable, "-c", _LIMITED, str(tmp_path), str(size)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "done\n")
    assert len(ended.stderr.splitlines()) == 1 and "the run goes on without it" in ended.stderr
    with Store(tmp_path) as store:
        assert store.get(list(ENTRIES)) == ENTRIES
    assert not list(tmp_path.glob("*.damaged*"))


def test_a_damaged_file_is_set_aside_whole_and_cleared_by_a_person_alone(tmp_path: Path, told: list[str]) -> None:
    file = filled(tmp_path)
    noise = random.Random(3).randbytes(30_000)
    file.write_bytes(noise)
    for _ in range(2):
        with Store(tmp_path, tell=told.append) as store:
            store.get(["row|1"])
            store.put({"row|1": b"1"})
    aside = tmp_path / "nlgauge2-1.damaged"
    assert aside.read_bytes() == noise
    assert len(told) == 1 and str(aside) in told[0] and "file is not a database" in told[0]
    with Store(tmp_path) as store:
        assert store.info().bytes > len(noise)
        store.clear()
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_used(tmp_path: Path, told: list[str]) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "nlgauge2-1.sqlite").mkdir(parents=True)
    for folder in (tmp_path / "file", tmp_path / "file" / "folder", tmp_path / "taken"):
        with Store(folder, tell=told.append) as store:
            store.put({"row|1": b"1"})
            store.commit()
            assert store.get(["row|1"]) == {}
            store.info(), store.verify()
    assert len(told) == 3 and all("the run goes on without it" in line and "\n" not in line for line in told)


def test_a_user_without_a_home(told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("nlgauge.run.store.default_folder", nowhere)
    with Store(tell=told.append) as store:
        store.put({"row|1": b"1"})
        assert store.get(["row|1"]) == {}
    assert len(told) == 1


def test_a_file_that_another_process_holds(tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "BUSY_S", 0.05)
    holder = sqlite3.connect(filled(tmp_path), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with Store(tmp_path, tell=told.append) as store:
        assert store.get(list(ENTRIES)) == ENTRIES  # who reads does not wait
        store.put({"row|1": b"1"})
        store.commit()
        assert store.get(["row|1"]) == {}
    holder.close()
    assert len(told) == 1 and "locked" in told[0]


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


def test_a_store_without_a_given_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Store(tmp_path).limit == store_module.LIMIT
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", "12345")
    assert Store(tmp_path).limit == 12345


def test_lines_go_to_stderr_by_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    with Store(tmp_path / "file") as store:
        store.get(["row|1"])
        store.get(["row|1"])
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("nlgauge: no cache in")
    assert len(captured.err.splitlines()) == 1


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
