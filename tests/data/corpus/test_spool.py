"""Rows on disk are the rows that were given."""

from __future__ import annotations

import json
import os
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as some

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.spool import Spool
from nlgauge.errors import InputError

_TEXT = some.text(max_size=20)
_ROWS = some.lists(
    some.builds(
        Row,
        _TEXT,
        some.lists(_TEXT, max_size=3).map(tuple),
        some.none() | _TEXT,
        some.none() | _TEXT,
        _TEXT,
        _TEXT,
        some.dictionaries(_TEXT, some.floats(allow_nan=False, allow_infinity=False), max_size=2),
        some.dictionaries(_TEXT, some.none() | some.integers() | some.lists(_TEXT), max_size=2),
    ),
    max_size=8,
)


@given(_ROWS, some.slices(8))
def test_rows_come_back(rows, piece):
    spool = Spool(rows)
    assert list(spool) == rows
    assert [spool[number] for number in range(-len(rows), len(rows))] == [*rows, *rows]
    assert spool[piece] == tuple(rows[piece])
    with pytest.raises(IndexError):
        spool[len(rows)]


@pytest.mark.parametrize("windows", [False, True])
def test_rows_longer_than_what_is_read_at_once_come_back(windows, monkeypatch):
    if windows:
        monkeypatch.delattr(os, "pread")
    rows = [Row("x" * size) for size in (3, 1 << 20, 5, (1 << 20) + 1, 0)] * 40
    spool = Spool(rows)
    assert list(spool) == rows
    assert [spool[number] for number in reversed(range(len(rows)))] == rows[::-1]


def test_corpus_on_disk_is_the_corpus_in_memory(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"candidate": f"c{n}", "system": "ab"[n % 2]}) + "\n" for n in range(9)))
    held, kept = Corpus.read(path), Corpus.read(path, on_disk=True)
    assert isinstance(kept.rows, Spool)
    assert (kept.digest, kept.systems, len(kept)) == (held.digest, held.systems, len(held))
    assert list(kept[2:5]) == list(held[2:5])
    assert list(kept) == list(held)


def test_full_disk_is_told(monkeypatch):
    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self):
            pass

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **options: Full())
    with pytest.raises(InputError, match=r"No space left on device .*TMPDIR"):
        Spool([Row("x")])
