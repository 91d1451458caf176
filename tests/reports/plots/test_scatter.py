"""Points of two metrics, or of a metric and people."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.reports.plots.scatter import scatter
from tests.printed import printed
from tests.reports.plots.conftest import N


def test_at_system_level_a_point_is_a_system(table: ScoreTable) -> None:
    found = scatter(table, "Set", "Score", level="system")
    assert [one.x[0] for one in found.groups] == pytest.approx([0.5, 0.25, 0.75])
    assert found.groups[2].y[0] == pytest.approx(table.values("Score")[2 * N :].mean())
    points, correlations = printed(found)
    assert points[0] == ["system", "Set ↑", "Score ↑"] and points[1][:2] == ["Top", "0.5000"]
    assert correlations[1][:2] == ["all", "3"]


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
