"""The map of agreement holds what correlate says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nlgauge import ScoreTable, correlate
from nlgauge.reports.plots.agreement import agreement
from tests.printed import printed


def test_it_is_what_correlate_says(table: ScoreTable, ratings: Any) -> None:
    found = agreement(table, ratings, metrics=["Distance", "Parts"], level="pooled", replicates=50)
    assert (found.metrics, found.aspects) == (("Distance(k=1)", "Parts f"), ("good", "loud"))
    expected = correlate(table, ratings, level="pooled", replicates=50)
    assert found.records[:2] == tuple(one for one in expected if one.metric == "Distance(k=1)")
    assert found.records[0].value == pytest.approx(1), "positive is agreement"


def test_what_it_shows(table: ScoreTable, ratings: Any, tmp_path: Path) -> None:
    found = agreement(table, ratings, level="pooled", replicates=20)
    ((head, *rows),) = printed(found)
    assert head == ["pearson, pooled", "good", "loud"]
    assert rows[0][1] == "1.0000 [1.0000, 1.0000]" and rows[-1] == ["Set", "-", "-"]
    assert any("Set score, good: a metric of sets" in note for note in found.notes)
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "map.svg")
    assert "<!-- Parts f -->" in (tmp_path / "map.svg").read_text(encoding="utf-8")
