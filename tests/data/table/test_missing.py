"""Rows without a candidate: kept, without a value, and the others as if they were not there."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable, SpecError
from nlgauge.data.table.missing import NO_CANDIDATE
from tests.command import nlgauge as run
from tests.command import refused

RECORDS = [
    {"system": "a", "item": "1", "candidate": None, "references": ["The ferry came late."]},
    {"system": "b", "item": "1", "candidate": None, "references": ["The ferry came late."]},
    {"system": "a", "item": "2", "candidate": "It was full.", "references": ["It was very full."]},
    {"system": "a", "item": "3", "candidate": "The ferry was late.", "references": ["The ferry came late."]},
]
METRICS = ["TokenF1", "BLEU", "CIDEr", "Length"]


def test_rows_without_a_candidate_have_no_value_and_a_reason(tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu", reason="needs nlgauge[strings]")
    table = nlgauge.evaluate(RECORDS, metrics=METRICS, on_missing="skip", cache=False)
    alone = nlgauge.evaluate(RECORDS[2:], metrics=METRICS, cache=False)
    assert table.rows == [(one["system"], one["item"]) for one in RECORDS]
    for spec in METRICS:
        assert table[spec][2:].tolist() == alone[spec].tolist()
        assert all(map(math.isnan, table[spec][:2])) and table.columns[spec].reasons == {
            0: NO_CANDIDATE,
            1: NO_CANDIDATE,
        }
        ours, own = table.by_system(seed=1)[0], alone.by_system(seed=1)[0]
        assert (ours.mean, ours.low, ours.n, ours.undefined) == (own.mean, own.low, own.n, 1)
    table.save(tmp_path / "scores.jsonl")
    assert ScoreTable.load(tmp_path / "scores.jsonl") == table


@pytest.mark.usefixtures("one_model")
def test_a_system_of_such_rows_alone_has_no_value_by_a_metric_of_sets() -> None:
    table = nlgauge.evaluate(RECORDS, metrics="MarkEvaluate(k=1)", on_missing="skip", cache=False)
    (column,) = table.columns.values()
    assert table.systems == ["a", "b"] and not math.isnan(column.values[0, 0]) and math.isnan(column.values[1, 0])
    assert column.reasons[1] == NO_CANDIDATE


def test_they_are_an_error_unless_asked_for() -> None:
    with pytest.raises(InputError, match="row 1: candidate is"):
        nlgauge.evaluate(RECORDS, metrics="TokenF1", cache=False)
    with pytest.raises(InputError, match="no row has a candidate"):
        nlgauge.evaluate(RECORDS[:2], metrics="TokenF1", on_missing="skip", cache=False)
    table = nlgauge.evaluate(
        candidates=[None, "A cat."], references=["A cat."] * 2, metrics="TokenF1", on_missing="skip", cache=False
    )  # type: ignore[list-item]
    assert table["TokenF1"].tolist()[1] == 1.0
    corpus = Corpus.from_records(RECORDS, on_missing="skip")
    with pytest.raises(SpecError, match="a run in blocks"):
        nlgauge.evaluate(corpus, metrics="TokenF1", rows_per_block=2, cache=False)


def test_the_command_takes_them_where_asked(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"candidate": null, "references": ["A."]}\n{"candidate": "A.", "references": ["A."]}\n')
    refused("score", rows, "-m", "TokenF1", say="row 1: candidate is")
    result = run("score", rows, "-m", "TokenF1", "--on-missing", "skip")
    assert result.exit_code == 0, result.output
    assert "TokenF1: no value for 1 of 2 rows (1): there is no candidate" in result.stderr


def test_a_gate_fails_such_a_row_and_an_explanation_gives_the_reason(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"candidate": null, "references": ["A."]}\n{"candidate": "A.", "references": ["A."]}\n')
    refused("score", rows, "-m", "TokenF1", say="--on-missing skip")
    failed = run("check", rows, "-m", "TokenF1", "--at-least", "0.5")
    assert failed.exit_code == 1 and "FAIL  row 1, system system, item 1: no value: there is no" in failed.stdout
    assert run("check", rows, "-m", "TokenF1", "--at-least", "0.5", "--allow-missing").exit_code == 0
    first, second = run("explain", rows, "-m", "TokenF1").stdout.split("row 2", 1)
    assert first.strip().endswith("TokenF1 has no value: there is no candidate") and "f1 1.0000" in second


def test_an_explanation_counts_such_rows_and_scores_as_if_they_were_not_there() -> None:
    corpus = Corpus.from_records(RECORDS, on_missing="skip")
    table = nlgauge.evaluate(corpus, metrics="CIDEr", cache=False)
    found = nlgauge.explain(corpus, "CIDEr", rows=[1, 4], scores=table, cache=False)
    assert [(one.row, one.reason) for one in found] == [(1, NO_CANDIDATE), (4, None)]
