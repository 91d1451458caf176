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


def test_folder_is_read_in_the_order_of_names(folder):
    corpus = Corpus.read(folder)
    assert [row.candidate for row in corpus] == ["one", "two", "three", "four"]
    assert [row.item for row in corpus] == ["1", "2", "3", "4"]


def test_error_names_the_file_of_a_folder_and_its_own_row(folder):
    (folder / "b" / "d.jsonl.gz").write_bytes(gzip.compress(b'{"candidate": "x"}\n{"text": "y"}\n'))
    with pytest.raises(InputError) as caught:
        Corpus.read(folder)
    assert (str(caught.value.file), caught.value.row) == (str(folder / "b" / "d.jsonl.gz"), 2)


def test_stranger_in_a_folder_is_refused(folder):
    (folder / "notes.md").write_text("hello")
    with pytest.raises(InputError, match=r"notes\.md: the file's name does not tell its format"):
        Corpus.read(folder)


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
