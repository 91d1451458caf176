"""The correlation matrix: against numpy and scipy, and what it says where there is no number."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable, SpecError
from nlgauge.data.table import Column
from nlgauge.reports.matrix import correlation_matrix

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


def test_refusals(table: ScoreTable) -> None:
    for options in ({"level": "row"}, {"coefficient": "accuracy_calibrated"}, {"metrics": ["BLEU"]}):
        with pytest.raises((InputError, SpecError)):
            correlation_matrix(table, **options)  # type: ignore[arg-type]
