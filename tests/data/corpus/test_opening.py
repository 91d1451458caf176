"""Folders and addresses are read as single files are."""

from __future__ import annotations

import gzip
import json

import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.errors import InputError


def _lines(texts):
    return "".join(json.dumps({"candidate": text}) + "\n" for text in texts)


@pytest.fixture
def folder(tmp_path):
    """Rows in three files of two folders, beside files that are no data."""
    place = tmp_path / "rows"
    (place / "b").mkdir(parents=True)
    (place / "a.jsonl").write_text(_lines(["one", "two"]))
    (place / "b" / "c.csv").write_text("candidate\nthree\n")
    (place / "b" / "d.jsonl.gz").write_bytes(gzip.compress(_lines(["four"]).encode()))
    (place / "_SUCCESS").write_text("")
    (place / ".a.jsonl.crc").write_bytes(b"\x00")
    return place


def test_several_paths_are_read_together_and_may_be_named(folder):
    a, c = folder / "a.jsonl", folder / "b" / "c.csv"
    assert Corpus.read([a, c]).systems == ("a", "c")
    named = Corpus.read({"All": folder})
    assert named.systems == ("All",) and [row.item for row in named] == ["1", "2", "3", "4"]
    a.write_text('{"candidate": "one", "system": "S"}\n')
    with pytest.raises(InputError, match="row 1: the system is 'S', and the file is given as of 'A'"):
        Corpus.read({"A": a})
    with pytest.raises(InputError, match="no file was given"):
        Corpus.read([])


def test_files_of_one_name_are_told_apart_by_more_of_it(tmp_path):
    for name in ("gpt-4.1.jsonl", "gpt-4.2.jsonl.gz", "x/one.jsonl", "y/one.jsonl", "y/two.csv"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        text = "candidate\na\n" if name.endswith("csv") else _lines(["a"])
        place.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert Corpus.read([tmp_path / "gpt-4.1.jsonl", tmp_path / "gpt-4.2.jsonl.gz"]).systems == ("gpt-4.1", "gpt-4.2")
    ones = [tmp_path / "x/one.jsonl", tmp_path / "y/one.jsonl"]
    assert Corpus.read(ones).systems == tuple(map(str, ones))


def test_a_spreadsheet_is_refused_with_what_to_save(folder):
    (folder / "sheet.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match="spreadsheets are not read"):
        Corpus.read(folder / "sheet.xlsx")


def test_address_is_read(folder):
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    assert Corpus.read(folder.as_uri()).digest == Corpus.read(folder).digest
    assert Corpus.read((folder / "a.jsonl").as_uri()).digest == Corpus.read(folder / "a.jsonl").digest


@pytest.mark.parametrize("address", ["nowhere://rows.jsonl", "file:///nowhere/rows.jsonl", "file:///"])
def test_address_that_cannot_be_read_is_refused(address):
    pytest.importorskip("pyarrow", reason="needs nlgauge[tables]")
    with pytest.raises(InputError, match="cannot be"):
        Corpus.read_texts(address)
