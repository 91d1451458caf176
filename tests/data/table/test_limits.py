"""What a column says of the least and the greatest value of a sub-score, and that it stays with the column."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import Column, ScoreTable, Sums
from nlgauge.data.table.selection import selected
from nlgauge.errors import InputError
from nlgauge.ratings.join import join
from tests.score_tables import column, counted, one, saved

SPECS = ["TokenF1", "BLEU", "Length"]


@pytest.fixture
def table() -> ScoreTable:
    rows = [Row(text, ("a b",), item=str(n)) for n, text in enumerate(["a b", "a c", "x"])]
    return nlgauge.evaluate(Corpus(tuple(rows)), metrics=SPECS)


def test_declared_limits_come_first() -> None:
    assert column(0.2, 0.4, limits={"score": (-1.0, 1.0)}).range("score") == (-1.0, 1.0)
    assert column(0.2, 3.0, limits={"score": (0.0, math.inf)}).range("score") == (0.0, math.inf)


def test_a_value_that_passes_a_limit_by_rounding_moves_it() -> None:
    values = column(100.00000000000004, math.nan, -1e-12, limits={"score": (0.0, 100.0)})
    assert values.range("score") == (-1e-12, 100.00000000000004)


@pytest.mark.parametrize(
    ("values", "better", "limits"),
    [
        ([0.0, 1.0, math.nan], True, (0.0, 1.0)),
        ([0.2, 0.9], False, (0.0, 1.0)),
        ([0.2, 1.1], True, (-math.inf, math.inf)),
        ([0.2, 1.1], False, (0.0, math.inf)),
        ([0.2, math.inf], False, (0.0, math.inf)),
        ([-0.1, 0.5], False, (-math.inf, math.inf)),
        ([math.nan], True, (-math.inf, math.inf)),
        ([], False, (-math.inf, math.inf)),
    ],
)
def test_without_them_the_values_say_it(values: list[float], better: bool, limits: tuple[float, float]) -> None:
    assert column(*values, higher_is_better=better).range("score") == limits


def test_a_count_is_no_distance() -> None:
    counts = Column(("score", "n"), np.array([[0.5, 7.0]]), higher_is_better=False, details=("n",))
    assert counts.range("n") == (-math.inf, math.inf)


def test_limits_stay_with_the_column(table: ScoreTable, tmp_path: Path) -> None:
    f1 = table.columns["TokenF1"]
    assert f1.limits == dict.fromkeys(f1.parts, (0.0, 1.0))
    path, _ = saved(table, tmp_path)
    joined = join(table, "human", dict.fromkeys(table.rows, 3.0))
    for again in (ScoreTable.load(path), table.per_item(), joined, table.renamed({"TokenF1": "F"})):
        assert again.column("TokenF1").limits == f1.limits
    assert selected(table, ["TokenF1"]).columns["TokenF1"].limits == {"f1": (0.0, 1.0)}
    assert selected(table, ["TokenF1 recall", "BLEU"]).columns["BLEU"].limits == {"score": (0.0, 100.0)}
    twice = replace_rows(table)
    assert twice.per_item().columns["TokenF1"].limits == f1.limits
    assert joined.columns["human"].limits == {}


def replace_rows(table: ScoreTable) -> ScoreTable:
    """The table as one of three answers to the same item."""
    return ScoreTable([("s", "1")] * 3, table.columns, table.signatures, {"rows": 3, "repeats": "mean"})


def test_a_folder_of_scores_has_them_too(table: ScoreTable, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = [Row("a b", ("a b",), item="1"), Row("a", ("a b",), item="2")]
    corpus = Corpus(tuple(rows))
    nlgauge.evaluate(corpus, metrics=SPECS, output=tmp_path / "scores")
    again = ScoreTable.load(tmp_path / "scores")
    assert {spec: one.limits for spec, one in again.columns.items()} == {
        spec: one.limits for spec, one in table.columns.items()
    }


def test_an_older_file_has_none(tmp_path: Path) -> None:
    path, records = saved(one([0.25, 0.5], limits={"score": (0.0, 2.0)}), tmp_path)
    assert ScoreTable.load(path).columns["M"].range("score") == (0.0, 2.0)
    assert records[0]["metrics"]["M"].pop("limits") == {"score": [0.0, 2.0]}
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert ScoreTable.load(path).columns["M"].range("score") == (0.0, 1.0)


@pytest.mark.parametrize(
    ("limits", "wrong"),
    [
        ({"other": [0.0, 1.0]}, "not among the sub-scores"),
        ({"score": [0.0]}, "Expected `array` of length 2, got 1"),
        ({"score": [1.0, 0.0]}, "not a least and a greatest value"),
        ({"score": [0.0, "much"]}, "the header's M: the value 'much' is not a number"),
        ({"score": [None, 1.0]}, "not a least and a greatest value"),
        ({"score": 1}, "Expected `array`, got `int`"),
        ([0, 1], r"Expected `object`, got `array` - at `\$\.limits`"),
    ],
)
def test_edited_limits_are_refused(limits: Any, wrong: str, tmp_path: Path) -> None:
    path, records = saved(one([0.25, 0.5]), tmp_path)
    records[0]["metrics"]["M"]["limits"] = limits
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    with pytest.raises(InputError, match=wrong):
        ScoreTable.load(path)


def test_summed_counts_have_the_limits_of_their_formula() -> None:
    assert counted().columns["TER"].range("score") == (0.0, math.inf)
    bleu = column(0.5, sums=Sums({"name": "bleu"}, np.ones((1, 10))))
    assert bleu.range("score") == (0.0, 100.0)
