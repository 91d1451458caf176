"""A table as a data frame: one row for every value."""

from __future__ import annotations

import math
import sys

import pytest

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


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[tables\]"):
        mixed().to_pandas()
