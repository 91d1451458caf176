"""Records from files of every kind, and the split that keeps a document on one side."""

from __future__ import annotations

import gzip
import json
import lzma

import pytest

from nlgauge.errors import InputError
from nlgauge_lab.training.weak_labels.sources import Record, documents, read_records, split


def test_compressed_files_lists_and_folders(tmp_path):
    row = {"source": "s", "origin": "set:doc7:2"}
    (tmp_path / "a.jsonl.xz").write_bytes(lzma.compress((json.dumps(row) + "\n").encode()))
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps([{"source": "t", "item": 4}]).encode()))
    (tmp_path / "c.txt").write_text("one\n\ntwo\n")
    (tmp_path / "d.md").write_text("not read")
    first, second, third = read_records(tmp_path)
    assert (first.origin, first.groups[0]) == ("set", "set:doc7")
    assert (second.origin, second.groups[0]) == ("b", "b:4")
    assert third == Record(document="one\ntwo", origin="c", groups=("c:0",))


def test_lines_become_documents_of_about_a_size():
    found = list(documents([f"{'word ' * 9}x" for _ in range(25)], "book", words=100))
    assert [record.document.count("\n") + 1 for record in found] == [10, 10, 5]
    assert [record.groups for record in found] == [("book:0",), ("book:1",), ("book:2",)]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.jsonl", '{"source": "s"}\n{"hue": "red"}\n', r"jsonl: row 2: no text under any known name; it has hue"),
        ("a.jsonl", '{"source": 4}\n', "row 1: source is not a text"),
        ("a.jsonl", "[1]\n", "row 1: not an object"),
        ("a.jsonl", '{"source"\n', "broken JSON"),
        ("a.csv", "source\n", "does not tell the format"),
    ],
)
def test_what_cannot_be_read(tmp_path, name: str, text: str, problem: str):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=problem):
        read_records(tmp_path / name)


def test_files_that_are_not_there_or_broken(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path / "none.jsonl")
    (tmp_path / "a.jsonl.xz").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path / "a.jsonl.xz")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no"):
        read_records(tmp_path / "empty")


def test_no_document_is_on_both_sides():
    records = [Record(text=str(i), origin="ab"[i % 2], groups=(f"talk {i // 3}", f"fact {i % 40}")) for i in range(300)]
    kept, held = split(records, 0.1)
    assert {group for one in kept for group in one.groups}.isdisjoint(group for one in held for group in one.groups)
    assert held and kept and len(kept) + len(held) <= len(records)
    assert (kept, held) == split(records, 0.1)
    assert split(records, 0.0) == (records, [])
