"""Every two systems: what compare says of them, corrected for all pairs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from nlgauge import InputError, ScoreTable, compare
from nlgauge.reports.plots.pairwise import pairwise
from nlgauge.stats.corrections import holm
from tests.printed import printed


def test_it_is_what_compare_says_corrected_for_all_pairs(table: ScoreTable) -> None:
    found = pairwise(table, metrics=["Distance"])
    assert [(one.a, one.b) for one in found.pairs] == [("Top", "Near"), ("Top", "Far"), ("Near", "Far")]
    expected = [next(iter(compare(table, one.a, one.b, "Distance"))) for one in found.pairs]
    assert [one.difference for one in found.pairs] == expected
    assert [one.adjusted for one in found.pairs] == holm([one.p for one in expected]).tolist()
    assert not found.pairs[0].up


def test_details_are_left_out_and_sets_have_no_p(table: ScoreTable) -> None:
    found = pairwise(table, every_part=True, replicates=20)
    assert list(dict.fromkeys(one.name for one in found.pairs)) == ["Score ↑", "Distance(k=1) ↓", "Parts f ↑", "Set ↑"]
    assert all(math.isnan(one.adjusted) for one in found.pairs if one.name == "Set ↑")


def test_what_it_shows(table: ScoreTable, tmp_path: Path) -> None:
    found = pairwise(table, metrics=["Distance", "Set"])
    ((head, *rows),) = printed(found)
    assert head[:4] == ["metric", "system", "against", "difference"]
    assert rows[1][:3] == ["Distance(k=1) ↓", "Top", "Far"] and rows[-1][4:] == ["-", "-", "-"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "pairs.svg")
    shown = (tmp_path / "pairs.svg").read_text(encoding="utf-8")
    far = found.pairs[1].difference.difference
    # A distance keeps its sign, and each pair stands in both of its cells.
    assert f"<!-- {far:+.3g}* -->" in shown and f"<!-- {-far:+.3g}* -->" in shown
    assert "<!-- +0.25 -->" in shown and "<!-- +0.25* -->" not in shown


def test_refusals(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="no score was chosen"):
        pairwise(table, metrics=["Parts words"])
    rows = table.rows[:20]
    alone = ScoreTable(rows, {}, {})
    with pytest.raises(InputError, match="one system has nothing"):
        pairwise(alone)
