"""Fits: least squares against scipy and their own conditions, and folds of items with the penalty for noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from nlgauge.stats.fitting import combined, cross_fitted, fit, folds_of, nonnegative, ridge


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


SMALL = st.floats(-3, 3).map(lambda x: round(x, 2))


@pytest.mark.parametrize("seed", range(30))
def test_the_solution_is_scipys(seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(20, 200)), int(rng.integers(1, 15))
    A = rng.normal(size=(n, size)) + rng.normal(size=(n, 1))  # features have much in common, as metrics have
    b = A @ rng.normal(size=size) + rng.normal(size=n)
    found = nonnegative(A, b)
    assert_allclose(found.coefficients, optimize.nnls(A, b)[0], atol=1e-9)
    assert found.violation < 1e-10
    assert (found.coefficients >= 0).all()


ODD_FEATURES = arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=SMALL)
"""Copies, zeros and fewer rows than features included"""


@settings(max_examples=200, deadline=None)
@given(ODD_FEATURES, st.integers(0, 5))
def test_optimal_whatever_the_features(A: np.ndarray, seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")
    b = np.random.default_rng(seed).normal(size=len(A))
    found = nonnegative(A, b)
    assert found.violation < 1e-8
    assert (found.coefficients >= 0).all()
    assert_allclose(np.linalg.norm(b - A @ found.coefficients), optimize.nnls(A, b)[1], atol=1e-8)


def test_ridge_is_its_normal_equation() -> None:
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(40, 5)), rng.normal(size=40)
    for penalty, x in zip((1e-6, 0.1, 10.0), ridge(A, b, (1e-6, 0.1, 10.0)), strict=True):
        assert_allclose((A.T @ A / 40 + penalty * np.eye(5)) @ x, A.T @ b / 40, atol=1e-12)
