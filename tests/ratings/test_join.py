"""What belongs to which row: by system and item alone, with one line for whatever does not fit."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import Corpus, InputError, ScoreTable
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column
from nlgauge.ratings.join import join, ratings, read

ROWS = [("A", "x"), ("B", "x"), ("A", "y"), ("B", "y"), ("A", "z")]


@pytest.fixture
def table() -> ScoreTable:
    column = Column(("score",), np.arange(5.0)[:, None], higher_is_better=False)
    return ScoreTable(list(ROWS), {"M": column}, {"M": Signature("M", {"x": 1})}, {"rows": 5}, "9.9")


def rows(**values: Any) -> Corpus:
    """Rows of the table, backwards, with a column of values in that order."""
    lists = [dict(zip(values, each, strict=True)) for each in zip(*values.values(), strict=True)]
    return Corpus.from_records(
        {"candidate": "a", "system": system, "item": item, **more}
        for (system, item), more in zip(reversed(ROWS), lists, strict=True)
    )


# ---- Ratings


def test_ratings_of_rows_join_by_system_and_item(table: ScoreTable) -> None:
    rated = rows(**{"scores.fluency": [5, 4, 3, 2, None], "scores.truth": [None, None, 1, 0, 1]})
    found = ratings(table, rated)
    np.testing.assert_array_equal(found.values["fluency"], [math.nan, 2, 3, 4, 5])
    np.testing.assert_array_equal(found.values["truth"], [1, 0, 1, math.nan, math.nan])
    assert found.unscored == []


def test_another_table_rates_and_is_turned(table: ScoreTable) -> None:
    other = ScoreTable(ROWS[::-1], {"T": Column(("p", "r"), np.arange(10.0).reshape(5, 2))}, {}, {}, "")
    assert list(ratings(table, other).values) == ["T p", "T r"]
    np.testing.assert_array_equal(ratings(table, other).values["T r"], [9, 7, 5, 3, 1])
    other.columns["T"].details = ("r",)
    assert list(ratings(table, other).values) == ["T p"]
    np.testing.assert_array_equal(ratings(table, table.columns["M"]).values["rating"], -np.arange(5.0))


@pytest.mark.parametrize(
    ("source", "say"),
    [
        ({("C", "x"): 1}, "('A', 'x') in the table and ('C', 'x') in the ratings"),
        ({}, "no row is rated (ratings stand in columns called scores.NAME; --map scores.NAME=COLUMN"),
        ({"A": 1}, 'write {("system", "item"): number}'),
        ({("A", "x"): "good"}, "is str 'good', not a number"),
        ({("A", "x"): True}, "is bool True, not a number"),
        ({("A", 1): 1, ("A", "1"): 2}, "system 'A', item '1' is in the ratings twice"),
        (Column(("score",), np.zeros((4, 1))), "not one of this table's rows"),
        (Column(("score",), np.zeros((5, 1)), level="system"), "not one of this table's rows"),
    ],
)
def test_ratings_that_do_not_fit(table: ScoreTable, source: object, say: str) -> None:
    with pytest.raises(InputError) as caught:
        ratings(table, source)
    assert say in str(caught.value)


# ---- Scores from elsewhere


def test_a_column_becomes_a_metric(table: ScoreTable, tmp_path: Path) -> None:
    source = rows(comet=[5.0, "4", "", None, 1], stored=[{"a": {"b": n}} for n in range(5)])
    joined = join(table, "COMET", source, column="comet")
    np.testing.assert_array_equal(joined.values("COMET"), [1, math.nan, math.nan, 4, 5])
    assert joined.column("COMET").reasons == {1: "no score in comet", 2: "no score in comet"}
    assert joined.column("COMET").higher_is_better
    assert joined.run["joined"]["COMET"] == {"from": "comet", "scores": 3, "missing": 2, "left_over": 0}
    assert str(joined.signatures["COMET"]).startswith("COMET|column:comet|from:rows@")
    assert table.metrics == ["M"] and table.run == {"rows": 5}
    inner = join(joined, "B", source, column="stored.a.b", higher_is_better=False)
    assert inner.values("B").tolist() == [4, 3, 2, 1, 0]
    assert list(inner.run["joined"]) == ["COMET", "B"]
    inner.save(tmp_path / "s.jsonl")
    again = ScoreTable.load(tmp_path / "s.jsonl")
    np.testing.assert_array_equal(again.values("COMET"), joined.values("COMET"))
    assert again.signatures == inner.signatures


def test_segment_scores_follow_the_order_of_the_items(table: ScoreTable, tmp_path: Path) -> None:
    path = tmp_path / "metric-refA.seg.score"
    path.write_text("B\t1\nhuman\t9\nB\t2\nB\tNone\nhuman\t9\nhuman\t9\nA 4\nA\t5\nA\t6\n", encoding="utf-8")
    joined = join(table, "metric", path)
    np.testing.assert_array_equal(joined.values("metric"), [4, 1, 5, 2, 6])
    assert joined.run["joined"]["metric"]["from"] == path.name
    assert joined.run["joined"]["metric"]["left_over"] == 4


def test_joins_that_do_not_fit(table: ScoreTable) -> None:
    source = rows(comet=[1, 2, "three", 4, 5], name=["a"] * 5)
    for name, column, say in (
        ("M", "comet", "the name 'M' is taken"),
        ("", "comet", "a metric needs a name"),
        ("N", None, "which column"),
        ("N", "comet", "row 3: the column 'comet' is str 'three', not a number"),
        ("N", "absent", "there are comet, name"),
    ):
        with pytest.raises(InputError) as caught:
            join(table, name, source, column=column)
        assert say in str(caught.value)
    with pytest.raises(InputError, match="no other columns"):
        join(table, "N", Corpus.from_texts(["a"], systems=["A"], items=["x"]), column="comet")
    with pytest.raises(InputError, match="no score has the system and item"):
        join(table, "N", {("A", "w"): 1})
    with pytest.raises(InputError, match=r"no score has the system of a row of the table \(as in \['A'\]\)"):
        join(table, "N", {"C": 1})


ITEMS = ["x", "y", "z"]


@pytest.mark.parametrize(
    ("name", "text", "say"),
    [
        ("m.seg.score", "A\t1\nA\t2\n", "system 'A' has 2 lines, the table has 3 items"),
        ("m.sys.score", "A\t1\nA\t2\n", "a system has more than one line"),
        ("m.seg.score", "A\t1\nA\tbad\n", "row 2: the score is str 'bad', not a number"),
        ("m.seg.score", "A\t1\n\nA\t2\nA\t3\n", "row 2: is not system<TAB>score"),
        ("m.seg.score", "", "row 1: is not system<TAB>score"),
    ],
)
def test_a_wrong_score_file_is_one_line(tmp_path: Path, name: str, text: str, say: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read("metric", path, None, ITEMS)
    assert say in str(caught.value)
