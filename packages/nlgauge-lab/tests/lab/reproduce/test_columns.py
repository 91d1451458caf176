"""Cuts of tables of scores."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column
from nlgauge_lab.reproduce.columns import defined, only, part_of, rows_of, without

ROWS = [(system, item) for system in "ABC" for item in "xy"]


@pytest.fixture
def table() -> ScoreTable:
    values = np.arange(12.0).reshape(6, 2)
    values[4] = np.nan
    of_rows = Column(("score", "half"), values, {4: "no words"}, higher_is_better=False)
    of_sets = Column(("score",), np.array([[0.1], [0.2], [0.3]]), level="system")
    return ScoreTable(ROWS, {"Rows": of_rows, "Sets": of_sets}, {})


def test_some_rows_and_their_systems(table: ScoreTable) -> None:
    some = rows_of(table, [4, 1])
    assert some.rows == [("C", "x"), ("A", "y")]
    column = some.columns["Rows"]
    assert column.values[1].tolist() == [2, 3] and column.reasons == {0: "no words"} and not column.higher_is_better
    assert some.columns["Sets"].values.tolist() == [[0.1], [0.3]]


def test_without_systems(table: ScoreTable) -> None:
    assert without(table, ()) is table
    left = without(table, ("A", "C"))
    assert left.rows == [("B", "x"), ("B", "y")] and left.columns["Sets"].values.tolist() == [[0.2]]


def test_a_part(table: ScoreTable) -> None:
    half = part_of(table.columns["Rows"], "half")
    assert half.parts == ("half",) and half.values[0, 0] == 1 and half.reasons == {4: "no words"}
    assert part_of(table.columns["Rows"], None).parts == ("score",)
    assert part_of(table.columns["Sets"], "half").parts == ("score",)  # there is one only


def test_a_number_for_what_is_missing(table: ScoreTable) -> None:
    assert defined(table, None) is table
    column = defined(table, 1).columns["Rows"]
    assert column.values[4].tolist() == [1, 1] and column.reasons == {}


def test_one_column() -> None:
    made = ScoreTable(ROWS[:2], {"Name": Column(("score",), np.array([[1], [np.nan]]), {1: "no value"})}, {})
    assert only(made).reasons == {1: "no value"}
