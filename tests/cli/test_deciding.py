"""All commands decide by one number of a metric: its probability, where no sub-score is named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge as package
from nlgauge.adapters.scorer import RowScorer
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.column import shown_parts
from nlgauge.data.table.selection import meant, selected
from nlgauge.gate import check
from nlgauge.ratings.sampling import _values
from nlgauge.reports.page.scored import Scored
from nlgauge.reports.plots.scatter import scatter
from tests.command import nlgauge, written

BAD = 43


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    """A gate: 43 of 100 rows are bad, and have a low probability; the mean over words, `score`, does not know it."""
    rng = np.random.default_rng(5)
    bad = rng.permutation(100) < BAD
    score, probability = rng.uniform(0.85, 1, 100), np.where(bad, 0.1, 0.9) + rng.uniform(-0.05, 0.05, 100)
    values = np.stack([score, rng.uniform(0, 1, 100), probability], 1)
    columns = {
        "M": Column(("score", "unsupported", "probability"), values, details=("unsupported",)),
        "N": Column(("f1", "recall"), rng.uniform(0, 1, (100, 2))),
    }
    rows = [("AB"[number % 2], str(number // 2)) for number in range(100)]
    return ScoreTable(rows, columns, {}, {"rows": 100}, "0")


@pytest.fixture(scope="module")
def rated(table: ScoreTable) -> Corpus:
    good = table.values("M", "probability") > 0.5
    rows = zip(table.rows, good.tolist(), strict=True)
    return Corpus(tuple(Row("x", system=s, item=i, scores={"rating": float(one)}) for (s, i), one in rows))


@pytest.mark.parametrize(
    ("parts", "details", "shown"),
    [
        (("score", "probability"), (), ("probability", "score")),
        (("score", "n", "probability"), ("n",), ("probability", "score")),
        (("n", "f1", "recall"), ("n",), ("f1", "recall")),
        (("score", "probability"), ("probability",), ("score",)),
        (("score",), ("score",), ("score",)),
    ],
)
def test_the_probability_decides_else_the_first_with_a_direction(
    parts: Sequence[str], details: Sequence[str], shown: tuple[str, ...]
) -> None:
    assert shown_parts(parts, details) == shown
    assert Column(tuple(parts), np.zeros((0, len(parts))), details=tuple(details)).shown == shown


def told(*arguments: object) -> Any:
    result = nlgauge(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_every_command_of_a_file_takes_the_same_number(table: ScoreTable, rated: Corpus, tmp_path: Path) -> None:
    scores, threshold, page = tmp_path / "s.jsonl", tmp_path / "t.json", tmp_path / "r.html"
    table.save(scores)
    rows = [{"candidate": "x", "system": r.system, "item": r.item, "scores.rating": r.scores["rating"]} for r in rated]
    outputs = written(tmp_path / "rated.jsonl", rows)
    of_ratings = (scores, "--ratings", outputs)
    names = {
        "compare": [line.split("  ")[0] for line in nlgauge("compare", scores, "A", "B").stdout.splitlines()],
        "trust": [one["metric"] for one in told("trust", *of_ratings, "-m", "M")["scorers"]],
        "correlate": [f"{one['metric']} {one['part']}" for one in told("correlate", *of_ratings, "--pairs")["metrics"]],
    }
    assert told("estimate", *of_ratings, "-m", "M") == told("estimate", *of_ratings, "-m", "M probability")
    for command, found in names.items():
        assert any(name.startswith("M probability") for name in found), (command, found)
        assert not any(name.startswith("M score") for name in found), (command, found)
    assert nlgauge("calibrate", *of_ratings, "--metric", "M", "--by", "f1", "-o", threshold).exit_code == 0
    assert json.loads(threshold.read_text())["part"] == "probability"
    assert nlgauge("report", scores, "-o", page).exit_code == 0
    assert told("compare", scores, "A", "B", "--metric", "M")["answer"].count("M probability") == 1


def _estimated(table: ScoreTable, rated: Corpus, metric: str) -> str:
    """The estimates from half of the ratings, as text: NaN is equal to NaN."""
    some = Corpus(tuple(row if number % 3 else replace(row, scores={}) for number, row in enumerate(rated)))
    return repr([replace(one, metric="") for one in package.estimate(table, some, metrics=[metric])])


def test_so_does_python(table: ScoreTable, rated: Corpus) -> None:
    keys = table.rows[:9]
    assert check(table, "M", at_least=0.5).part == "probability"
    assert package.compare(table, "A", "B", "M").answer.count("M probability") == 1
    assert _estimated(table, rated, "M") == _estimated(table, rated, "M probability")
    assert package.correlate(table, rated, level="pooled", replicates=0).get("M").part == "probability"
    assert meant(table, "M")[1][0] == "probability" == selected(table, ["M"]).columns["M"].parts[0]
    assert _values(keys, table, "M").tolist() == table.values("M", "probability")[:9].tolist()
    assert scatter(table, "M", "N").x == "M probability ↑"
    assert [scale.part for scale in Scored(table, None, None).scales if scale.first] == ["probability", "f1"]
    assert "M probability ↑" in repr(table) and "M score" not in repr(table)
    assert RowScorer("Faithfulness").part == "probability"


def test_a_threshold_does_not_let_pass_what_the_gate_fails(table: ScoreTable, rated: Corpus) -> None:
    threshold = package.calibrate(table, rated, metric="M", risk=0.3).threshold()
    verdict = check(table, threshold=threshold)
    assert len(check(table, "M", at_least=0.5).failures) == BAD
    assert (threshold.part, threshold.passing <= 0.7, len(verdict.failures) >= 30) == ("probability", True, True)


def test_a_sub_score_that_is_named_is_taken(table: ScoreTable, rated: Corpus) -> None:
    assert check(table, "M", part="score", at_least=0.5).part == "score"
    assert check(table, "M score", at_least=0.5).part == "score"
    assert package.compare(table, "A", "B", "M score").records[0].part == "score"
    assert _estimated(table, rated, "M score") != _estimated(table, rated, "M")
    assert package.calibrate(table, rated, metric="M score").threshold("f1").part == "score"
    assert RowScorer("Consistency(aligner='D')", part="score").part == "score"
    np.testing.assert_array_equal(table["M"], table.values("M", "score"), "values and [] keep the first sub-score")
    np.testing.assert_array_equal(table["M probability"], table.values("M", "probability"))
