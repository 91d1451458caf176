"""A table as a data frame: one row for every value."""

from __future__ import annotations

import sys

import pytest

import nlgauge
from nlgauge.data.table import ScoreTable
from nlgauge.errors import MissingExtraError
from tests.score_tables import counted, mixed


def test_a_value_of_a_whole_system_has_no_item() -> None:
    pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    frame = counted().to_pandas()
    whole = frame[frame["item"].isna()]
    assert whole["system"].tolist() == ["A", "B"] and whole["value"].tolist() == [30, 30]


def test_results_are_frames_too() -> None:
    pytest.importorskip("pandas", reason="needs nlgauge[tables]")
    table = mixed()
    systems = table.by_system()
    frame = systems.to_pandas()
    names = "system metric part mean low high n undefined whole clusters effective"
    assert " ".join(frame) == names
    assert frame["mean"].tolist() == pytest.approx([one.mean for one in systems], nan_ok=True)
    ratings = {"good": {key: float(n % 3) for n, key in enumerate(table.rows)}}
    agreements = nlgauge.correlate(table, ratings, level="pooled", replicates=0)
    assert agreements.to_pandas()["value"].tolist() == pytest.approx([one.value for one in agreements], nan_ok=True)
    compared = nlgauge.compare(table, *table.systems)
    assert compared.to_pandas()["n"].tolist() == [one.n for one in compared]
    assert len(ScoreTable([], {}, {}).by_system().to_pandas()) == 0


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[tables\]"):
        mixed().to_pandas()
