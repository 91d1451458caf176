"""What metrics are called in a figure."""

from __future__ import annotations

from nlgauge import ScoreTable
from nlgauge.show.plots.naming import directed


def test_an_arrow_says_which_way_is_better(table: ScoreTable) -> None:
    assert directed(table, "Distance(k=1)", "score") == "Distance(k=1) ↓"
    assert [directed(table, "Parts", part) for part in ("f", "words")] == ["Parts f ↑", "Parts words"]
