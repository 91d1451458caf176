"""Scores go out as a leaderboard of TREC AutoJudge."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError
from tests.command import nlgauge as command

ROWS: list[dict[str, Any]] = [
    {"candidate": "the cat sat", "references": ["the cat sat"], "system": "a", "item": "1"},
    {"candidate": "a dog", "references": ["a dog ran off"], "system": "a", "item": "2"},
    {"candidate": "the cat", "references": ["the cat sat"], "system": "b é", "item": "1"},
    {"candidate": "dogs", "references": ["a dog ran off"], "system": "b é", "item": "2"},
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_value_is_a_line_and_all_topics_have_their_own(tmp_path: Path) -> None:
    out = tmp_path / "scores.autojudge.jsonl"
    table = nlgauge.evaluate(ROWS, metrics=["TokenF1", "BLEU"], cache=False)
    table.save(out)
    board = {(line["run_id"], line["topic_id"], line["measure"]): line["value"] for line in lines(out)}
    assert len(board) == len(lines(out)), "no value is there twice"
    assert set(lines(out)[0]) == {"run_id", "topic_id", "measure", "value"}
    for spec, column in table.columns.items():
        for at, part in enumerate(column.parts):
            name = column.label(spec, part)
            for (system, item), values in zip(table.rows, column.values, strict=True):
                assert board.pop((system, item, name)) == values[at]
            for system in table.systems:
                assert column.sums is not None or spec.startswith("TokenF1")
                rows = table.rows_of(system)
                whole = (
                    sum(column.values[row, at] for row in rows) / len(rows)
                    if column.sums is None
                    else column.sums.value(column.sums.counts[rows])[at]
                )
                assert board.pop((system, "all", name)) == pytest.approx(whole, abs=1e-12)
    assert not board


def test_the_mean_over_its_trials_stands_for_an_item(tmp_path: Path) -> None:
    rows = [{**row, "trial": trial} for row in ROWS[:2] for trial in ("1", "2")]
    rows[1] = {**rows[1], "candidate": "no"}
    nlgauge.evaluate(rows, metrics=["Length"], cache=False).save(tmp_path / "s.autojudge.jsonl")
    told = [(line["topic_id"], line["value"]) for line in lines(tmp_path / "s.autojudge.jsonl")]
    assert told == [("1", 2.0), ("2", 2.0), ("all", 2.0)]


def test_a_value_that_is_missing_is_not_left_out_nor_made_a_number(tmp_path: Path) -> None:
    out = tmp_path / "scores.autojudge.jsonl"
    table = nlgauge.evaluate([*ROWS, {"candidate": "x", "system": "b é", "item": "3"}], metrics="TokenF1", cache=False)
    assert math.isnan(table.column("TokenF1").values[4, 0])
    with pytest.raises(InputError, match=r"TokenF1 \w+ has no finite value for system 'b é', item '3'.*as 0"):
        table.save(out)
    with pytest.raises(InputError, match="called 'all'"):
        nlgauge.evaluate([{**ROWS[0], "item": "all"}], metrics="Length", cache=False).save(out)
    assert not out.exists()


def test_the_command_writes_it(tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "scores.autojudge.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    done = command("score", str(rows), "-m", "Length", "-o", str(out), "--cache", str(tmp_path / "cache"))
    assert done.exit_code == 0, done.stderr
    assert [line["topic_id"] for line in lines(out)] == ["1", "2", "all"] * 2
