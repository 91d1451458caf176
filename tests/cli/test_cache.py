"""nlgauge cache: what is kept is shown, checked and removed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from nlgauge.run.store import Store
from tests.command import nlgauge


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Store(tmp_path / "cache") as store:
        store.put({"row|1": b"12345678", "row|2": b"12345678", "feature|1": bytes(4096)})
    return tmp_path / "cache"


def test_info(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = nlgauge("cache", "info", "--cache", folder)
    lines = result.stdout.splitlines()
    assert (result.exit_code, lines[0], result.stderr) == (0, str(folder), "")
    assert lines[1].endswith("KiB on the disk, of at most 4.0 GiB")
    rows = [["kind", "entries", "size"], ["feature", "1", "4.0", "KiB"], ["row", "2", "16", "bytes"]]
    assert [line.split() for line in lines[2:]] == rows
    monkeypatch.setenv("NLGAUGE_CACHE", str(folder))
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", "1000000")
    record = json.loads(nlgauge("cache", "info", "--format", "json").stdout)
    assert record["entries"] == {"feature": {"entries": 1, "bytes": 4096}, "row": {"entries": 2, "bytes": 16}}
    assert (record["folder"], record["limit"]) == (str(folder), 1_000_000)
    assert record["bytes"] >= sum(path.stat().st_size for path in folder.iterdir()) > 0


def test_clear(folder: Path) -> None:
    result = nlgauge("cache", "clear", "--cache", folder)
    assert result.exit_code == 0 and "KiB removed from" in result.stdout
    assert list(folder.iterdir()) == []
    assert "no entries" in nlgauge("cache", "info", "--cache", folder).stdout
    assert nlgauge("cache", "clear", "--cache", folder).stdout.startswith("0 bytes removed")


def test_verify(folder: Path) -> None:
    assert nlgauge("cache", "verify", "--cache", folder).stdout == "3 entries intact, 0 damaged and dropped\n"
    (file,) = folder.iterdir()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE entry SET value = x'01' WHERE length(value) = 4096")
    connection.close()
    assert nlgauge("cache", "verify", "--cache", folder).stdout == "2 entries intact, 1 damaged and dropped\n"
    file.write_text("no database, and longer than its header is, which is a hundred bytes: " + "-" * 100)
    result = nlgauge("cache", "verify", "--cache", folder)
    assert (result.exit_code, result.stdout) == (0, "the file was damaged and set aside\n")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["info", "clear", "verify"])
def test_a_place_that_cannot_be_used_is_told(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("")
    result = nlgauge("cache", command, "--cache", tmp_path / "file")
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
