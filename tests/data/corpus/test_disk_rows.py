"""Rows on disk are the rows that were given."""

from __future__ import annotations

import os
import tempfile

import pytest

from nlgauge.data.corpus import Row
from nlgauge.data.corpus.disk_rows import DiskRows
from nlgauge.errors import InputError


@pytest.mark.parametrize("windows", [False, True])
def test_rows_longer_than_what_is_read_at_once_come_back(windows, monkeypatch):
    if windows:
        monkeypatch.delattr(os, "pread")
    rows = [Row("x" * size) for size in (3, 1 << 20, 5, (1 << 20) + 1, 0)] * 40
    on_disk = DiskRows(rows)
    assert list(on_disk) == rows
    assert [on_disk[number] for number in reversed(range(len(rows)))] == rows[::-1]


def test_full_disk_is_told(monkeypatch):
    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self):
            pass

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **options: Full())
    with pytest.raises(InputError, match=r"No space left on device .*TMPDIR"):
        DiskRows([Row("x")])
