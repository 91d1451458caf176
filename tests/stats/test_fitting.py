"""Fits on folds of items: who is in which, and the penalty that noise asks for."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from nlgauge.stats.fitting import combined, cross_fitted, fit, folds_of


def data(noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """180 rows of 30 items: ten values, two of which make the rating."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(180, 10))
    return x, 3 + 0.8 * x[:, 0] + 0.4 * x[:, 1] + noise * rng.normal(size=180), np.repeat(np.arange(30), 6)


def test_a_fold_is_predicted_by_the_others() -> None:
    x, y, items = data(0.5)
    crossed = cross_fitted(x, y, items, "nnls", 4, 0)
    fold = folds_of(items, 4, 0)
    assert crossed.folds == 4 and crossed.penalties == []
    out = fold == 2
    alone = fit(x[~out], y[~out], items[~out], "nnls", 4, 0)
    assert_allclose(crossed.predicted[out], alone.of(x[out]))


def test_of_a_rated_row_the_combined_value_knows_no_rating_of_its_item() -> None:
    x, y, items = data(0.5)
    rated = np.arange(180) % 3 > 0
    before = combined(x, y, rated, items, 0)
    assert np.corrcoef(before[rated], y[rated])[0, 1] > 0.8 < np.corrcoef(before[~rated], y[~rated])[0, 1]
    other = np.where(items == 7, y + 100, y)
    after = combined(x, other, rated, items, 0)
    assert_allclose(after[rated & (items == 7)], before[rated & (items == 7)], rtol=1e-12)
    assert np.abs(after - before)[items != 7].max() > 0.1
