"""The scores file: a header, then a record for every value."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from tests.score_tables import KL, L1, PARTS, counted, mixed, saved

KEYS = {"system", "item", "metric", "part", "value", "reason"}


@pytest.fixture
def table() -> ScoreTable:
    return mixed()


def test_the_first_line_is_the_header(table: ScoreTable, tmp_path: Path) -> None:
    _, (header, *_) = saved(table, tmp_path)
    assert header["nlgauge"] == "9.9"
    assert header["signatures"] == {spec: f"{spec}|model:none@00000000" for spec in (KL, L1, PARTS)}
    assert header["facts"] == {spec: {"model": {"name": "none", "digest": "0" * 64}} for spec in (KL, L1, PARTS)}
    assert header["run"] == table.run
    assert list(header)[:2] == ["nlgauge", "signatures"]
    assert header["metrics"][KL] == {"parts": ["score"], "higher_is_better": False, "level": "item"}


def test_details_stand_in_the_header_where_there_are_any(table: ScoreTable, tmp_path: Path) -> None:
    table.columns[PARTS].details = ("r", "f")
    _, (header, *_) = saved(table, tmp_path)
    assert header["metrics"][PARTS]["details"] == ["r", "f"]
    assert "details" not in header["metrics"][KL]


def test_what_differs_from_run_to_run_is_not_saved(table: ScoreTable, tmp_path: Path) -> None:
    path, _ = saved(table, tmp_path)
    before = path.read_bytes()
    table.spent = {"seconds": 1.5, "passes": 12}
    table.save(path)
    assert path.read_bytes() == before


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


def test_missing_is_null_with_a_reason_and_infinity_is_a_word(table: ScoreTable, tmp_path: Path) -> None:
    path, (_, *records) = saved(table, tmp_path)
    assert (records[1]["value"], records[1]["reason"]) == (None, "no reference")
    assert (records[0]["value"], records[0]["reason"]) == (0.5, None)
    assert records[4]["value"] == "Infinity"
    assert "NaN" not in path.read_text(encoding="utf-8")


def test_evidence_is_in_the_file_only_where_there_is_some(table: ScoreTable) -> None:
    with_evidence = [record for record in table.records() if "evidence" in record]
    assert [(record["metric"], record["item"], record["part"]) for record in with_evidence] == [(PARTS, "a", "p")]
    assert with_evidence[0]["evidence"] == {"token": "ﬁ\u2028"}


def test_saving_replaces_a_file_and_leaves_no_other(table: ScoreTable, tmp_path: Path) -> None:
    (tmp_path / "scores.jsonl").write_text("old", encoding="utf-8")
    path, records = saved(table, tmp_path)
    assert len(records) == 26
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_that_cannot_be_written_leaves_the_old_file_and_no_other(table: ScoreTable, tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("old", encoding="utf-8")
    table.columns[PARTS].evidence[0] = {"share": math.nan}
    with pytest.raises(ValueError, match="JSON"):
        table.save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["absent/scores.jsonl", "."])
def test_a_place_that_cannot_be_written_to_is_an_input_error(table: ScoreTable, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be written") as caught:
        table.save(folder / name)
    assert caught.value.file == folder / name
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]


def test_values_of_all_rows_are_records_without_an_item(tmp_path: Path) -> None:
    _, (_, *records) = saved(counted(), tmp_path)
    assert [(r["system"], r["item"], r["value"]) for r in records if r["item"] is None] == [
        ("A", None, 30),
        ("B", None, 30),
    ]
    assert [r.get("counts") for r in records] == [[1, 4], [0, 6], [5, 10], [2, 2], None, [1, 8], None, None]


def test_a_system_of_which_nothing_is_counted_has_a_reason(tmp_path: Path) -> None:
    table = counted()
    table.columns["TER"].sums.counts[3:] = np.nan  # type: ignore[union-attr]
    table.columns["TER"].reasons[3] = "no words"
    _, (*_, whole) = saved(table, tmp_path)
    assert (whole["system"], whole["value"], whole["reason"]) == ("B", None, "no words")
