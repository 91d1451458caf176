"""Every two systems: what compare says of them, corrected for all pairs."""

from __future__ import annotations

import pytest

from nlgauge import InputError, ScoreTable, compare
from nlgauge.reports.plots.pairwise import pairwise
from nlgauge.stats.corrections import holm


def test_it_is_what_compare_says_corrected_for_all_pairs(table: ScoreTable) -> None:
    found = pairwise(table, metrics=["Distance"])
    assert [(one.a, one.b) for one in found.pairs] == [("Top", "Near"), ("Top", "Far"), ("Near", "Far")]
    expected = [next(iter(compare(table, one.a, one.b, "Distance"))) for one in found.pairs]
    assert [one.difference for one in found.pairs] == expected
    assert [one.adjusted for one in found.pairs] == holm([one.p for one in expected]).tolist()
    assert not found.pairs[0].up


def test_refusals(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="no score was chosen"):
        pairwise(table, metrics=["Parts words"])
    rows = table.rows[:20]
    alone = ScoreTable(rows, {}, {})
    with pytest.raises(InputError, match="one system has nothing"):
        pairwise(alone)
