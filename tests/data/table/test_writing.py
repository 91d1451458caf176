"""The scores file: a header, then a record for every value."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from tests.score_tables import mixed, saved

KEYS = {"system", "item", "metric", "part", "value", "reason"}


@pytest.fixture
def table() -> ScoreTable:
    return mixed()


def test_then_comes_one_record_per_value(table: ScoreTable, tmp_path: Path) -> None:
    path, (_, *records) = saved(table, tmp_path)
    assert len(records) == 5 + 5 + 15
    assert all(set(record) - {"evidence"} == KEYS for record in records)
    assert [(record["system"], record["item"]) for record in records[:5]] == table.rows
    assert [record["part"] for record in records[10:16]] == ["p", "r", "f"] * 2
    assert records == list(table.records())
    assert "größte Ü" in path.read_text(encoding="utf-8")
    assert path.read_bytes().endswith(b"}\n")
    assert b"\r" not in path.read_bytes()


@pytest.mark.parametrize("name", ["absent/scores.jsonl", "."])
def test_a_place_that_cannot_be_written_to_is_an_input_error(table: ScoreTable, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be written") as caught:
        table.save(folder / name)
    assert caught.value.file == folder / name
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]
