"""Column: the number that another tool gave, as a metric like all others."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, InputError, ScoreTable, SpecError, registry
from nlgauge.answers.signatures import refuse_other_numbers
from tests.command import nlgauge as command
from tests.command import refused

ROWS = [
    {"system": system, "item": str(n), "candidate": f"{n} words of {system}", "judge": judge, "doc": str(n // 2)}
    for n in range(24)
    for system, judge in (("a", 0.25 + n / 32), ("b", n / 40))
]


def column(entries: list[Any], **parameters: Any) -> Any:
    rows = [{"candidate": "a", "judge": one} for one in entries]
    table = nlgauge.evaluate(rows, metrics=nlgauge.Column("judge", **parameters))
    return table.column(table.metrics[0])


def test_numbers_truths_and_labels_are_read() -> None:
    found = column([2, "0.5", True, "No", "PASS ", np.bool_(False), None, "", float("nan")])
    np.testing.assert_array_equal(found.values[:, 0], [2, 0.5, 1, 0, 1, 0, *[math.nan] * 3])
    assert found.reasons == dict.fromkeys((6, 7, 8), "no score in judge")
    values = {"good": 1, "BAD": 0.25, "n/a": None, 1: 3, "true": 4}
    labelled = column(["Good", "bad", "n/a", None, 1, True], values=values)
    np.testing.assert_array_equal(labelled.values[:, 0], [1, 0.25, math.nan, math.nan, 3, 4])


def test_what_is_no_number_is_one_error_that_names_the_row() -> None:
    with pytest.raises(InputError, match=r"^row 2: the column 'judge' is str 'maybe', not a number \(give "):
        column([1, "maybe"])
    with pytest.raises(InputError, match=r"^row 3: .* is float 0.5, not a number or one of the labels 'fail', 'pass'"):
        column(["pass", "fail", 0.5], values={"pass": 1, "fail": 0})
    with pytest.raises(InputError, match=r"no row has a number in the column 'judge' \(there are judge\)"):
        column([None, ""])
    for values in ({}, {"a": "b"}, {"a": math.inf}, "a", {"a": 1, " A": 2}):
        with pytest.raises(SpecError, match="values="):
            nlgauge.Column("judge", values=values)  # type: ignore[arg-type]


def test_a_spec_reads_back_as_an_equal_metric() -> None:
    metric = registry.metric("Column( 'judge.score', values={'pass': 1.0, 'Fail': 0}, higher_is_better=False)")
    assert str(metric) == "Column('judge.score', higher_is_better=False, values={'fail': 0, 'pass': 1})"
    again = registry.metric(str(metric))
    assert again == metric and hash(again) == hash(metric) and not metric.higher_is_better
    assert registry.metric("Column(column='judge')") == nlgauge.Column("judge")
    with pytest.raises(SpecError, match="needs the parameter 'column'"):
        registry.metric("Column")


def test_paths_and_ratings_are_columns_too() -> None:
    rows = [{"candidate": "a", "verdict": {"score": n}, "scores.truth": 1 - n} for n in (0, 1)]
    table = nlgauge.evaluate(rows, metrics=["Column('verdict.score')", "Column('scores.truth')", "Column('truth')"])
    assert [table.values(spec).tolist() for spec in table.metrics] == [[0, 1], [1, 0], [1, 0]]


def test_equal_outputs_of_unlike_scores_share_nothing(tmp_path: Path) -> None:
    rows = [{"candidate": "a", "item": n, "judge": n} for n in range(3)]
    for _ in range(2):
        table = nlgauge.evaluate(rows, metrics="Column('judge')", cache=tmp_path)
        assert table["Column('judge')"].tolist() == [0, 1, 2]


def test_it_gives_what_a_scores_file_written_by_hand_gives(tmp_path: Path) -> None:
    outputs, scores = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    outputs.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    spec = "Column('judge')"
    about = {"parts": ["score"], "higher_is_better": True}
    header = {"nlgauge": "0", "signatures": {spec: spec}, "facts": {}, "metrics": {spec: about}, "run": {}}
    lines = [header] + [
        {**{key: row[key] for key in ("system", "item")}, "metric": spec, "part": "score", "value": row["judge"]}
        | {"reason": None}
        for row in ROWS
    ]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    written, read = ScoreTable.load(scores), nlgauge.evaluate(Corpus.read(outputs), metrics=spec)
    assert read.columns == written.columns and read.rows == written.rows
    rated = Corpus.from_records({**row, "scores.truth": (n % 3) / 2} for n, row in enumerate(ROWS[:44]))
    for way in (
        lambda table: nlgauge.compare(table, "a", "b").records,
        lambda table: nlgauge.correlate(table, rated, level="pooled", replicates=20).records,
        lambda table: nlgauge.estimate(table, rated).records,
        lambda table: vars(nlgauge.calibrate(table, rated, below=0.5))["chosen"],
        lambda table: nlgauge.check(table, at_least=0.3).record["rows"],
    ):
        assert repr(way(read)) == repr(way(written))


def test_the_signature_names_file_and_column_and_other_rows_can_be_a_baseline(tmp_path: Path) -> None:
    tables = []
    for day, shift in (("monday", 0), ("tuesday", 1)):
        path = tmp_path / f"{day}.jsonl"
        path.write_text("".join(json.dumps({**row, "judge": row["judge"] + shift}) + "\n" for row in ROWS), "utf-8")
        tables.append(nlgauge.evaluate(Corpus.read(path), metrics="Column('judge')"))
        said = str(tables[-1].signatures["Column('judge')"])
        assert said.startswith(f"Column('judge')|column:judge|from:{path}@")
    assert tables[0].signatures != tables[1].signatures
    assert refuse_other_numbers(*tables, "Column('judge')") == []


def test_add_does_the_same_in_every_command(tmp_path: Path) -> None:
    outputs, scores, few = (tmp_path / name for name in ("rows.jsonl", "scores.jsonl", "few.jsonl"))
    rows = [{**row, "scores": {"truth": n // 2 % 2}} for n, row in enumerate(ROWS)]
    outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    rated = [{**row, "judge": None} for row in rows[:44]]
    few.write_text("".join(json.dumps(row) + "\n" for row in rated), encoding="utf-8")
    nlgauge.evaluate(Corpus.read(outputs), metrics="Length").save(scores)
    of_rated = ("--ratings", few, "--outputs", outputs)
    page = tmp_path / "page.html"
    for run in (
        ("compare", scores, "--outputs", outputs, "--metric", "J"),
        ("estimate", scores, *of_rated, "-m", "J"),
        ("calibrate", scores, *of_rated, "-m", "J"),
        ("correlate", scores, "--ratings", outputs, "--replicates", 20),
        ("plot", "summary", scores, "-o", tmp_path / "summary.svg"),
        ("sample", outputs, "--scores", scores, "-m", "J", "-n", 20),
        ("report", scores, "--outputs", outputs, "-o", page, "--replicates", 20),
    ):
        for n, added in enumerate(("J=judge", f"J={outputs}:judge", "J=Column('judge', higher_is_better=False)")):
            if run[0] == "plot" and n != 1:
                continue  # no outputs are given
            more = ("-o", tmp_path / f"project{n}") if run[0] == "sample" else ()
            result = command(*run, *more, "--add", added)
            assert result.exit_code in (0, 1) and "nlgauge:" not in result.stderr, (run, result.stderr)
    result = command("compare", scores, "--add", f"{outputs}:judge", "--format", "json")
    found = {one["metric"]: one for one in json.loads(result.stdout)["differences"]}
    mean = float(np.mean([row["judge"] for row in ROWS if row["system"] == "a"]))
    assert found["judge"]["a"] == pytest.approx(mean)
    refused("compare", scores, "--add", "judge", say="--add judge: there are no outputs with a column 'judge'")
    refused("compare", scores, "--add", f"{tmp_path}/no.jsonl:judge", say="no.jsonl: cannot be read")
    refused("estimate", scores, "--ratings", few, "--add", "judge", say="no row has a number in the column 'judge'")


def test_score_check_and_explain_take_it(tmp_path: Path) -> None:
    outputs = tmp_path / "rows.jsonl"
    outputs.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    spec = "Column('judge')"
    assert "judge" in command("score", outputs, "-m", spec, "--no-cache").stdout
    assert command("check", outputs, "-m", spec, "--at-least", 0, "--no-cache").exit_code == 0
    assert command("check", outputs, "-m", spec, "--at-least", 0.5, "--no-cache").exit_code == 1
    assert f"row 1, system a, item 0: {spec} 0.2500" in command("explain", outputs, "-m", spec, "--row", 1).stdout


def test_a_column_with_labels_says_between_which_numbers_it_is() -> None:
    labelled = registry.metric("Column('v', values={'good': 5, 'poor': 1, 'unsure': None})")
    assert labelled.limits == {"score": (1, 5)}
    assert registry.metric("Column('v')").limits == {} == registry.metric("Column('v', values={'unsure': None})").limits
