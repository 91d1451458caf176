"""ScoreTable: looking values up, and comparing, printing and copying whole tables."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from nlgauge.data.table import ScoreTable
from nlgauge.errors import SpecError
from nlgauge.metrics.infolm import InfoLM
from tests.score_tables import KL, L1, PARTS, counted, mixed


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


def test_equal_tables_are_equal_with_missing_values_in_them(table: ScoreTable) -> None:
    assert table == mixed() and counted() == counted()
    assert math.isnan(table.values(KL)[1])
    assert pickle.loads(pickle.dumps(table)) == table
    assert table != "table"
