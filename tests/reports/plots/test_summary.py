"""Bars: what `by_system` says, and which are best."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import ScoreTable, SpecError
from nlgauge.reports.plots.summary import summary
from tests.printed import printed


def test_values_and_marks(table: ScoreTable) -> None:
    found = summary(table, metrics=["Score", "Distance"])
    assert found.names == ["Score ↑", "Distance(k=1) ↓"]
    assert [bar.mark for bar in found.bars] == ["best", "alike", ""] * 2
    assert [bar.score for bar in found.bars][:3] == table.by_system()[:3]


def test_what_it_shows(table: ScoreTable, tmp_path: Path) -> None:
    found = summary(table)
    ((head, *rows),) = printed(found)
    assert head == ["system", "Score ↑", "Distance(k=1) ↓", "Parts f ↑", "Set ↑"]
    assert [row[0] for row in rows] == ["Top", "Near", "Far"] and rows[0][4] == "0.5000" and rows[0][3] == "inf"
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "bars.svg")
    shown = (tmp_path / "bars.svg").read_text(encoding="utf-8")
    assert all(f"<!-- {name} -->" in shown for name in head[1:]) and shown.count("<!-- Near -->") == 4


def test_an_unknown_metric_is_refused(table: ScoreTable) -> None:
    with pytest.raises(SpecError, match="no metric BLEU"):
        summary(table, metrics=["BLEU"])
