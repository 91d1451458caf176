"""Points of two metrics, or of a metric and people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.reports.plots.scatter import scatter
from tests.printed import printed
from tests.reports.plots.conftest import N


def test_points_are_rows_in_their_own_units(table: ScoreTable) -> None:
    found = scatter(table, "Score", "Distance")
    assert (found.x, found.y) == ("Score ↑", "Distance(k=1) ↓")
    assert [one.system for one in found.groups] == ["Top", "Near", "Far"]
    assert found.groups[1].x == tuple(table.values("Score")[N : 2 * N]) and found.groups[1].items[3] == "3"
    assert (found.pearson, found.spearman) == pytest.approx((-1, -1)), "numbers are not turned"


def test_people_are_an_axis_too(table: ScoreTable, ratings: Any) -> None:
    found = scatter(table, "good", "Score", ratings)
    assert found.x == "good (people)" and found.pearson == pytest.approx(1)
    noise = scatter(table, "Score", "loud", ratings)
    x, y = (np.concatenate([getattr(one, side) for one in noise.groups]) for side in ("x", "y"))
    assert noise.pearson == pytest.approx(np.corrcoef(x, y)[0, 1])
    one = noise.groups[0]
    assert one.pearson == pytest.approx(np.corrcoef(one.x, one.y)[0, 1])


def test_rows_without_both_are_left_out_and_counted(table: ScoreTable) -> None:
    found = scatter(table, "Parts f", "Score")
    assert found.notes == ("2 rows without both left out",) and len(found.groups[0].x) == N - 2


def test_at_system_level_a_point_is_a_system(table: ScoreTable) -> None:
    found = scatter(table, "Set", "Score", level="system")
    assert [one.x[0] for one in found.groups] == pytest.approx([0.5, 0.25, 0.75])
    assert found.groups[2].y[0] == pytest.approx(table.values("Score")[2 * N :].mean())
    points, correlations = printed(found)
    assert points[0] == ["system", "Set ↑", "Score ↑"] and points[1][:2] == ["Top", "0.5000"]
    assert correlations[1][:2] == ["all", "3"]


def test_what_it_shows(table: ScoreTable, tmp_path: Path) -> None:
    found = scatter(table, "Score", "Distance")
    ((head, *rows),) = printed(found)
    assert head == ["Score ↑ | Distance(k=1) ↓", "points", "pearson", "spearman"]
    assert rows[-1] == ["all", "60", "-1.0000", "-1.0000"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    for level in ("row", "system"):
        scatter(table, "Score", "Distance", level=level).draw(tmp_path / f"{level}.svg")
        shown = (tmp_path / f"{level}.svg").read_text(encoding="utf-8")
        assert "<!-- Distance(k=1) ↓ -->" in shown and "<!-- Near -->" in shown


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        (("Score", "Set"), "take level 'system'"),
        (("Score", "fluency"), "no metric 'fluency' in the table; it has Score, Distance"),
        (("Score", "Distance", None, "item"), "take row or system"),
    ],
)
def test_refusals(table: ScoreTable, arguments: tuple[Any, ...], say: str) -> None:
    x, y, source, level = (*arguments, None, "row")[:4] if len(arguments) == 2 else arguments
    with pytest.raises((InputError, SpecError)) as caught:
        scatter(table, x, y, source, level=level)
    assert say in str(caught.value)


def test_what_is_rated_is_told_where_a_name_is_unknown(table: ScoreTable, ratings: Any) -> None:
    with pytest.raises(SpecError, match="rated are good, loud"):
        scatter(table, "Score", "fluency", ratings)
