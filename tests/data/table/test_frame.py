"""A table as a data frame: one row for every value."""

from __future__ import annotations

import math
import sys

import pytest

import nlgauge
from nlgauge.data.table import ScoreTable
from nlgauge.errors import MissingExtraError
from tests.score_tables import KL, PARTS, counted, mixed


def test_every_value_has_a_row() -> None:
    pandas = pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    table = mixed()
    frame = table.to_pandas()
    assert list(frame.columns) == ["system", "item", "metric", "part", "value", "reason"]
    assert len(frame) == 5 + 5 + 15
    assert frame["value"].dtype == float
    kl = frame[frame["metric"] == KL]
    assert kl["value"].tolist()[:1] == [0.5] and math.isnan(kl["value"].tolist()[1])
    assert kl["value"].tolist()[4] == math.inf
    assert kl["reason"].tolist()[1] == "no reference"
    parts = frame[(frame["metric"] == PARTS) & (frame["item"] == "c")]
    assert parts["part"].tolist() == ["p", "r", "f"]
    wide = frame[frame["part"] == "score"].pivot(index=["system", "item"], columns="metric", values="value")
    assert wide.loc["模型 🙂", KL].isna().tolist() == [False, True]
    assert pandas.isna(frame["reason"]).sum() == 24


def test_a_value_of_a_whole_system_has_no_item() -> None:
    pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    frame = counted().to_pandas()
    whole = frame[frame["item"].isna()]
    assert whole["system"].tolist() == ["A", "B"] and whole["value"].tolist() == [30, 30]


def test_a_wide_frame_has_a_line_for_each_row() -> None:
    pandas = pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    table = mixed()
    wide = table.to_pandas(wide=True)
    pandas.testing.assert_frame_equal(wide, pandas.DataFrame(list(table)))
    assert wide["Parts r"].tolist() == table["Parts r"].tolist() and wide["item"].tolist() == list("bbaac")


def test_results_are_frames_too() -> None:
    pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    table = mixed()
    systems = table.by_system(replicates=0)
    frame = systems.to_pandas()
    assert list(frame) == [
        "system",
        "metric",
        "part",
        "mean",
        "low",
        "high",
        "n",
        "undefined",
        "whole",
        "clusters",
        "effective",
    ]
    assert frame["mean"].tolist() == pytest.approx([one.mean for one in systems], nan_ok=True)
    ratings = {"good": {key: float(n % 3) for n, key in enumerate(table.rows)}}
    agreements = nlgauge.correlate(table, ratings, level="pooled", replicates=0)
    assert agreements.to_pandas()["value"].tolist() == pytest.approx([one.value for one in agreements], nan_ok=True)
    compared = nlgauge.compare(table, *table.systems, replicates=0)
    assert compared.to_pandas()["n"].tolist() == [one.n for one in compared]
    assert len(ScoreTable([], {}, {}).by_system().to_pandas()) == 0


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[tables\]"):
        mixed().to_pandas()
