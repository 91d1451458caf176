"""JSON is taken as strictly as its standard says, and numbers only as what they are."""

from __future__ import annotations

import pytest

from nlgauge.corpus.json_records import parsed
from nlgauge.corpus.place import Place
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
        parsed(text, Place("rows.jsonl", 7))
    assert problem in str(caught.value) and len(str(caught.value)) < 300


def test_numbers_that_there_are_are_taken() -> None:
    assert parsed("[1e308, -0.0, 1e-999, 123456789012345678901]", Place(None)) == [
        1e308,
        0.0,
        0.0,
        123456789012345678901,
    ]
