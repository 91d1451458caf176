"""JSON is taken as strictly as its standard says, and numbers only as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.place import InputPlace
from nlgauge.errors import InputError


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("NaN", "NaN is not in JSON"),
        ("[-Infinity]", "-Infinity is not in JSON"),
        ("1e999", "'1e999' is too large a number"),
        ('{"a": -1e400}', "'-1e400' is too large a number"),
        ("1" + "0" * 400 + ".5", "is too large a number"),
        ("9" * 5000, "Exceeds the limit"),
        ("[" * 100_000, "broken JSON"),
        ('{"a":' * 100_000, "broken JSON"),
        ("[" * 66 + "]" * 66, "nested more than 64 deep"),
    ],
)
def test_what_is_not_in_json_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match="row 7") as caught:
        parsed(text, InputPlace("rows.jsonl", 7))
    assert problem in str(caught.value) and len(str(caught.value)) < 300


def test_a_file_of_rows_with_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    rows = '{"candidate": "a"}\n{"candidate": "b", "scores": {"x": 1, "x": 2}}\n'
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    with pytest.raises(InputError, match=r"rows\.jsonl: row 2: the key 'x' is given twice"):
        Corpus.read(tmp_path / "rows.jsonl")


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ('{"candidate": "a"},', "remove the comma after the record: in .jsonl each line is one record alone"),
        ('{"candidate": "a"} ,  ', "remove the comma after the record: in .jsonl each line is one record alone"),
        ('{"candidate": "a", }', "remove the comma before the closing bracket"),
        ('{"references": ["a",], "candidate": "b"}', "remove the comma before the closing bracket"),
        ('[{"candidate": "a"},', "the list does not end on its line: a .jsonl has one whole record a line"),
        ("{", "the record does not end on its line: a .jsonl has one whole record a line"),
        ('{"candidate" "a"}', "write one object like"),
        ('{"candidate": "a, ]" "b"}', "write one object like"),
    ],
)
def test_a_common_slip_is_named(tmp_path: Path, line: str, remedy: str) -> None:
    (tmp_path / "rows.jsonl").write_text('{"candidate": "x"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"rows\.jsonl: row 2: broken JSON") as caught:
        Corpus.read(tmp_path / "rows.jsonl")
    assert remedy in str(caught.value)
