"""JSON is taken as strictly as its standard says, and numbers only as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.json_records import _strictly, parsed
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
        (r'{"a": 1, "a": 2, "\u0022\u0022": 3}', "the key 'a' is given twice"),
        ("[" * 65 + "1" + "]" * 65, "nested more than 64 deep"),
    ],
)
def test_what_is_not_in_json_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match="row 7") as caught:
        parsed(text, InputPlace("rows.jsonl", 7))
    assert problem in str(caught.value) and len(str(caught.value)) < 300


def test_what_is_64_deep_is_taken() -> None:
    text = "[" * 64 + "]" * 63 + ", []]"
    assert str(parsed(text, InputPlace(None))) == text


_NAMES = st.sampled_from(['"a"', '"b"', r'"\u0061"', '"\\""', r'"\u0022"', r'"\\u0022"', '"\\ud800"', '"[:"', '""'])
_NUMBERS = st.sampled_from(
    ["0", "-0", "-0.0", "1.0", "1e5", "1E-2", "1e-400", "5e-324", "1e999", "123456789012345678901234567890", "01"]
)
_TEXTS = st.recursive(
    _NAMES | _NUMBERS | st.sampled_from(["null", "true", "NaN", " ", '"\t"']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda some: f"[{','.join(some)}]")
        | st.lists(st.tuples(_NAMES, inner), max_size=3).map(
            lambda some: "{" + " , ".join(f"{name} : {value}" for name, value in some) + "}"
        )
    ),
    max_leaves=6,
)


@given(_TEXTS)
def test_what_is_read_quickly_is_what_is_read_strictly(text: str) -> None:
    read = []
    for reader in (parsed, _strictly):
        try:
            read.append(repr(reader(text, InputPlace(None, 3))))
        except InputError as refused:
            read.append(str(refused))
    assert read[0] == read[1]


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
