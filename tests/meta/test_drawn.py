"""The key of a sheet: written, read, and what is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.errors import InputError
from nlgauge.meta.drawn import Draw, DrawnRow

DRAW = Draw(
    (
        DrawnRow("a", "1", 0.5, 0, None, "r2"),
        DrawnRow("a", "2", 0.5),
        DrawnRow("b", "1", 0.25, 1, "a source\u2028of two\u0085lines\r\n", "r1"),
    )
)


def test_a_key_is_read_as_it_was_written(tmp_path: Path) -> None:
    DRAW.save(tmp_path / "key.jsonl")
    assert Draw.load(tmp_path / "key.jsonl") == DRAW


def test_names_stand_for_rows() -> None:
    assert [row.name for row in DRAW.sheet] == ["r1", "r2"]
    ratings = {"good": {("system", "r2"): 1.0, ("system", "r1"): 0.0}}
    assert DRAW.resolved(ratings) == {"good": {("a", "1"): 1.0, ("b", "1"): 0.0}}
    with pytest.raises(InputError, match="'r9' is rated and is not on the sheet"):
        DRAW.resolved({"good": {("system", "r9"): 1.0}})


def test_rows_that_were_not_there() -> None:
    assert DRAW.of([("b", "1")]) == [DRAW.rows[2]]
    with pytest.raises(InputError, match="no row of system 'c', item '1'"):
        DRAW.of([("c", "1")])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"system": "a"}', json.dumps({"system": "a", "item": "1", "probability": 0.0}), "\x00",
     json.dumps({"system": 1, "item": "1", "probability": 0.5}), json.dumps({"a": 1, "item": "1"})],
)  # fmt: skip
def test_what_is_no_key(tmp_path: Path, text: str) -> None:
    (tmp_path / "key.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is not the key of a sheet"):
        Draw.load(tmp_path / "key.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        Draw.load(tmp_path)
