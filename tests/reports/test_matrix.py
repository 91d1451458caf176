"""The correlation matrix: against numpy and scipy, and what it says where there is no number."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.data.table import Column
from nlgauge.reports.matrix import correlation_matrix
from tests.printed import printed

SYSTEMS, ITEMS = 5, 8
KEYS = [(f"s{s}", f"i{i}") for i in range(ITEMS) for s in range(SYSTEMS)]


@pytest.fixture
def table() -> ScoreTable:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(len(KEYS), 2)) + np.tile(np.arange(SYSTEMS), ITEMS)[:, None]
    columns = {
        "Score": Column(("f1", "recall"), x),
        "Distance": Column(("score",), -x[:, :1] + rng.normal(size=(len(KEYS), 1)), higher_is_better=False),
        "Set": Column(("score",), np.arange(SYSTEMS, dtype=float)[:, None], level="system"),
    }
    return ScoreTable(KEYS, columns, {}, {}, "9.9")


def by_system(values: np.ndarray) -> np.ndarray:
    return np.asarray(values.reshape(ITEMS, SYSTEMS).mean(0))


def test_system_means_are_correlated_with_signs_turned(table: ScoreTable) -> None:
    ratings = {key: float(n % 7) for n, key in enumerate(KEYS)}
    found = correlation_matrix(table, {"good": ratings})
    assert found.names == ("Score", "Distance", "Set", "good")
    columns = [
        by_system(table.values("Score")),
        -by_system(table.values("Distance")),
        np.arange(SYSTEMS),
        by_system(np.array(list(ratings.values()))),
    ]
    assert_allclose(found.values, np.corrcoef(columns), atol=1e-9)
    assert set(sum(found.n, ())) == {SYSTEMS}


@pytest.mark.parametrize(("coefficient", "function"), [("spearman", "spearmanr"), ("kendall", "kendalltau")])
def test_rows_are_correlated_at_pooled_level(table: ScoreTable, coefficient: str, function: str) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    found = correlation_matrix(table, level="pooled", coefficient=coefficient, every_part=True)
    assert found.names == ("Score f1", "Score recall", "Distance")
    by_scipy = getattr(stats, function)(table.values("Score"), table.values("Score", "recall"))[0]
    assert found.values[0][1] == found.values[1][0] == pytest.approx(by_scipy)
    assert [found.values[i][i] for i in range(3)] == pytest.approx([1, 1, 1])


def test_missing_and_constant_columns(table: ScoreTable) -> None:
    table.columns["Score"].values[:10, 0] = math.nan
    table.columns["Distance"].values[:] = 3
    found = correlation_matrix(table, level="pooled", metrics=["Score f1", "Score recall", "Distance"])
    assert found.n[0] == (30, 30, 30) and found.n[1] == (30, 40, 40)
    assert math.isnan(found.values[0][2])
    assert found.reasons["Score f1 | Distance"] == "the ratings are constant"


def test_what_it_shows(table: ScoreTable, tmp_path: Path) -> None:
    table.columns["Set"].values[:] = 1
    found = correlation_matrix(table)
    ((head, *rows),) = printed(found)
    assert head == ["pearson, system", "", "1", "2", "3"]
    assert rows[0][:3] == ["Score", "1", "1.00"] and rows[2][1:] == ["3", "-", "-", "-"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 1000


def test_refusals(table: ScoreTable) -> None:
    for options in ({"level": "row"}, {"coefficient": "accuracy_calibrated"}, {"metrics": ["BLEU"]}):
        with pytest.raises((InputError, SpecError)):
            correlation_matrix(table, **options)  # type: ignore[arg-type]
