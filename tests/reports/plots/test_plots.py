"""What a plot says of a table, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable, SpecError, compare
from nlgauge.data.table import Column
from nlgauge.reports import figures
from nlgauge.reports.plots.pairwise import pairwise
from nlgauge.reports.plots.scatter import reliability, scatter
from nlgauge.reports.plots.spread import spread
from nlgauge.stats.corrections import holm
from tests.printed import printed
from tests.ratings.hidden import SPEC, outputs
from tests.score_tables import same, three

N = 20


@pytest.fixture
def table() -> ScoreTable:
    made = three(N)
    made.columns["Parts"].values[:2, 0] = math.nan, math.inf
    made.columns["Parts"].reasons[0] = "empty"
    return made


# ---- Pairwise


def test_it_is_what_compare_says_corrected_for_all_pairs(table: ScoreTable) -> None:
    found = pairwise(table, metrics=["Distance"])
    assert [(one.a, one.b) for one in found.pairs] == [("Top", "Near"), ("Top", "Far"), ("Near", "Far")]
    expected = [next(iter(compare(table, one.a, one.b, "Distance"))) for one in found.pairs]
    assert same([one.difference for one in found.pairs], expected)
    assert [one.adjusted for one in found.pairs] == holm([one.p for one in expected]).tolist()
    assert not found.pairs[0].up


def test_differences_of_sixteen_systems_are_found(tmp_path: Path) -> None:
    """120 pairs, corrected by Holm: of 16 systems a step apart, all but neighbours differ clearly."""
    rng = np.random.default_rng(0)
    rows = [(f"s{system:02}", str(item)) for system in range(16) for item in range(60)]
    values = np.repeat(np.arange(16) / 2, 60) + rng.normal(size=960)
    found = pairwise(ScoreTable(rows, {"M": Column(("score",), values[:, None])}, {}))
    apart = [abs(int(one.a[1:]) - int(one.b[1:])) for one in found.pairs]
    assert len(apart) == 120
    assert all(one.adjusted < 0.05 for one, steps in zip(found.pairs, apart, strict=True) if steps > 2)
    with pytest.warns(DeprecationWarning, match="no effect"):
        pairwise(ScoreTable(rows, {"M": Column(("score",), values[:, None])}, {}), replicates=10)


def test_refusals_of_pairs(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="no score was chosen"):
        pairwise(table, metrics=["Parts words"])
    rows = table.rows[:20]
    alone = ScoreTable(rows, {}, {})
    with pytest.raises(InputError, match="one system has nothing"):
        pairwise(alone)


# ---- Scatter


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
def test_refusals_of_points(table: ScoreTable, arguments: tuple[Any, ...], say: str) -> None:
    x, y, source, level = (*arguments, None, "row")[:4] if len(arguments) == 2 else arguments
    with pytest.raises((InputError, SpecError)) as caught:
        scatter(table, x, y, source, level=level)
    assert say in str(caught.value)


# ---- Spread


def test_what_has_no_place_is_noted(table: ScoreTable) -> None:
    found = spread(table)
    assert found.notes == (
        "Parts f ↑: 2 rows without a finite value left out",
        "Set has one number a system, and no distribution",
    )
    (parts,) = (one for one in found.records if (one.name, one.system) == ("Parts f ↑", "Top"))
    assert (parts.n, parts.left_out) == (N - 2, 2)


def test_refusals_of_bins(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="no metric of rows"):
        spread(table, metrics=["Set"])
    with pytest.raises(InputError, match="1 bins"):
        spread(table, bins=1)


# ---- Reliability


def test_a_score_from_0_to_1_is_drawn_beside_the_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, dict[str, figures.Curve]]] = []
    monkeypatch.setattr(figures, "curves", lambda path, panels, *_: drawn.append(panels))
    table, corpus, _ = outputs(200, 100)
    column = table.columns[SPEC]
    share = replace(table, columns={SPEC: replace(column, values=1 / (1 + np.exp(-column.values)))})
    for of in (table, share):
        reliability(of, corpus).draw(Path("x.png"))
    assert [len(panels[SPEC]) for panels in drawn] == [1, 2]
    curve = drawn[1][SPEC]["rated rows"]
    assert len(curve.at) == 5 and all(a <= b <= c for a, b, c in zip(curve.low, curve.values, curve.high, strict=True))
