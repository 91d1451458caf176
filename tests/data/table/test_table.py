"""ScoreTable: looking values up, and comparing, printing and copying whole tables."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.errors import SpecError
from nlgauge.metrics.infolm import InfoLM
from tests.score_tables import KL, L1, PARTS, column, counted, mixed


@pytest.fixture
def table() -> ScoreTable:
    return mixed()


def test_values_by_spec_object_name_and_part(table: ScoreTable) -> None:
    assert table.values(KL)[2] == 1 / 3
    assert table.values(InfoLM(measure="kl"))[0] == 0.5
    assert table.values('InfoLM( measure = "l1",stride=2 )').tolist() == [1, 2, 3, 4, 5]
    assert (
        table.values("Parts").tolist()
        == table.values("Parts", part="p").tolist()
        == table.columns["Parts"].values[:, 0].tolist()
    )
    assert table.values("Parts", part="f").tolist() == table.columns["Parts"].values[:, 2].tolist()
    assert table.values("Parts").shape == (5,)
    assert table.metrics == [KL, L1, PARTS]
    assert table.systems == ["größte Ü", "模型 🙂"]


def test_a_name_of_several_metrics_is_ambiguous(table: ScoreTable) -> None:
    with pytest.raises(SpecError) as caught:
        table.values("InfoLM")
    assert "not one metric but 2" in str(caught.value)
    assert "measure='kl'" in str(caught.value)
    assert "measure='l1'" in str(caught.value)


def test_a_name_that_is_a_spec_is_not_ambiguous(table: ScoreTable) -> None:
    table.columns["InfoLM"] = column(9, 9, 9, 9, 9)
    assert table.values("InfoLM").tolist() == [9] * 5


def test_a_table_is_indexed_by_metric_and_goes_row_by_row(table: ScoreTable) -> None:
    assert len(table) == 5
    assert table[L1].tolist() == [1, 2, 3, 4, 5]
    assert table["Parts f"].tolist() == table.values("Parts", "f").tolist()
    with pytest.raises(SpecError, match="Parts has no part 'x'; it has p, r, f"):
        table["Parts x"]
    rows = list(table)
    assert [(row["system"], row["item"]) for row in rows] == table.rows
    assert list(rows[0]) == ["system", "item", KL, L1, "Parts p", "Parts r", "Parts f"]
    assert math.isnan(rows[1][KL]) and rows[4][KL] == math.inf
    for name in list(rows[0])[2:]:
        np.testing.assert_array_equal([row[name] for row in rows], table[name])


def test_every_row_of_a_system_has_its_number_by_a_metric_of_sets(table: ScoreTable) -> None:
    table.columns["Set"] = column(7, 8, level="system")
    assert [row["Set"] for row in table] == [7, 8, 7, 8, 7]


def test_metrics_and_systems_get_other_names(table: ScoreTable) -> None:
    named = table.renamed({KL: "Ours", "größte Ü": "System 1"})
    assert named.metrics == ["Ours", L1, "Parts"] and named.systems == ["System 1", "模型 🙂"]
    np.testing.assert_array_equal(named["Ours"], table[KL])
    np.testing.assert_array_equal(named[KL], table[KL])
    assert named.run["notes"] == {"Ours": {"a note": 1}} and list(named.signatures) == named.metrics
    assert table.metrics[0] == KL, "the table itself is as it was"
    with pytest.raises(SpecError, match="no metric BLEU"):
        table.renamed({"BLEU": "Ours"})
    with pytest.raises(SpecError, match="would have the same name"):
        table.renamed({KL: "Parts"})


def test_what_is_not_there_is_a_spec_error_that_lists_what_is(table: ScoreTable) -> None:
    with pytest.raises(SpecError, match="no metric BLEU"):
        table.values("BLEU")
    with pytest.raises(SpecError, match="Parts"):
        table.column(InfoLM(measure="l2"))
    with pytest.raises(SpecError, match="p, r, f"):
        table.values("Parts", part="score")


def test_a_part_that_is_a_detail_is_looked_up_as_any_other(table: ScoreTable) -> None:
    table.columns[PARTS].details = ("f",)
    assert table.values(PARTS, part="f")[0] == 2 / 7


def test_places_of_rows_and_of_systems(table: ScoreTable) -> None:
    assert table.places("item") == table.rows
    assert table.places("system") == [("größte Ü", None), ("模型 🙂", None)]
    assert table.rows_of("模型 🙂").tolist() == [1, 3]


def test_equal_tables_are_equal_with_missing_values_in_them(table: ScoreTable) -> None:
    assert table == mixed() and counted() == counted()
    assert math.isnan(table.values(KL)[1])
    assert pickle.loads(pickle.dumps(table)) == table
    assert table != "table"


def test_the_run_and_the_evidence_do_not_count(table: ScoreTable) -> None:
    table.run, table.spent, table.version = {}, {"seconds": 3}, "0"
    table.columns[PARTS].evidence = {}
    assert table == mixed()


def _with_value(table: ScoreTable) -> None:
    table.columns[L1].values[0, 0] += 1e-12


def _with_row(table: ScoreTable) -> None:
    table.rows[0] = ("größte Ü", "z")


def _with_reason(table: ScoreTable) -> None:
    table.columns[KL].reasons[1] = "another"


def _with_detail(table: ScoreTable) -> None:
    table.columns[PARTS].details = ("f",)


def _with_direction(table: ScoreTable) -> None:
    table.columns[KL].higher_is_better = True


def _with_signature(table: ScoreTable) -> None:
    table.signatures[KL] = Signature(KL, {"layer": 1})


def _without_column(table: ScoreTable) -> None:
    del table.columns[L1]


@pytest.mark.parametrize(
    "change",
    [_with_value, _with_row, _with_reason, _with_detail, _with_direction, _with_signature, _without_column],
)
def test_tables_that_differ_are_not_equal(table: ScoreTable, change: Callable[[ScoreTable], None]) -> None:
    change(table)
    assert table != mixed()


def test_tables_of_other_counts_are_not_equal() -> None:
    table, other = counted(), counted()
    sums = other.columns["TER"].sums
    assert sums is not None
    other.columns["TER"].sums = replace(sums, counts=sums.counts + 1)
    assert table != other
    other.columns["TER"].sums = None
    assert table != other


def test_a_table_prints_without_its_arrays(table: ScoreTable) -> None:
    assert repr(table) == str(table)
    assert "array" not in repr(table) and len(repr(table)) < 500
    assert repr(copy.copy(table)) == repr(table)


def test_a_column_has_scores_beside_its_details() -> None:
    assert column(1, 2).scores == ("score",)
    assert column(1, 2, details=("score",)).scores == ()
    assert np.isnan(mixed().columns[KL].values).any()
