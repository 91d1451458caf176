"""Coefficients against scipy and literal pair counts, with ties and missing values."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import correlation, soft_accuracy, superiority
from tests.stats.literal import by_pairs

SCIPY: dict[str, tuple[str, dict[str, str]]] = {
    "pearson": ("pearsonr", {}),
    "spearman": ("spearmanr", {}),
    "kendall": ("kendalltau", {}),
    "kendall_c": ("kendalltau", {"variant": "c"}),
}
"""The functions of scipy.stats and their options"""
OF_PAIRS = ["kendall", "kendall_10", "kendall_13", "kendall_14", "kendall_eq", "accuracy"]


def sample(seed: int, n: int, missing: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors with ties and missing values, each of its own."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, rng.integers(2, n + 2), n) / 7
    y = rng.integers(0, rng.integers(2, 9), n).astype(float)
    x[rng.random(n) < missing], y[rng.random(n) < missing] = np.nan, np.nan
    return x, y


def by_scipy(name: str, x: np.ndarray, y: np.ndarray) -> float:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    function, options = SCIPY[name]
    known = ~(np.isnan(x) | np.isnan(y))
    if known.sum() < 2:
        return math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(getattr(stats, function)(x[known], y[known], **options)[0])


@pytest.mark.parametrize("name", SCIPY)
def test_as_scipy_with_ties_and_missing_values(name: str) -> None:
    for seed in range(150):
        x, y = sample(seed, 2 + seed % 45)
        assert_allclose(correlation(x, y, name), by_scipy(name, x, y), atol=1e-12, err_msg=f"seed {seed}")


@pytest.mark.parametrize("name", OF_PAIRS)
def test_as_a_count_of_all_pairs(name: str) -> None:
    for seed in range(40):
        x, y = sample(seed, 2 + seed % 23)
        assert_allclose(correlation(x, y, name), by_pairs(name, x, y), atol=1e-12, err_msg=f"seed {seed}")


def test_superiority_is_a_paired_test() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    rng = np.random.default_rng(2)
    x = rng.normal([0, 0.5, 3], size=(12, 3))
    p = superiority(x, 4000)
    for i, j in itertools.combinations(range(3), 2):
        exact = stats.permutation_test(
            (x[:, i], x[:, j]), lambda a, b, axis: (a - b).mean(axis), vectorized=True, permutation_type="samples",
            alternative="greater", n_resamples=np.inf,
        ).pvalue  # fmt: skip
        assert_allclose(p[i, j], exact, atol=0.03)
        assert p[i, j] + p[j, i] == pytest.approx(1)
    assert superiority(np.ones((5, 2)))[0, 1] == 0.5
    assert np.isnan(superiority(np.array([[1, np.nan], [np.nan, 2]]))).all()


def test_soft_accuracy() -> None:
    p, q = np.full((3, 3), np.nan), np.full((3, 3), np.nan)
    for (i, j), (a, b) in {(0, 1): (0.1, 0.3), (0, 2): (0.5, 0.5), (1, 2): (1.0, 0.0)}.items():
        p[i, j], q[i, j] = a, b
    assert soft_accuracy(p, q) == pytest.approx((0.8 + 1 + 0) / 3)
    assert soft_accuracy(p, q, np.array([0, 0, 1])) == pytest.approx(0.5)
    x = superiority(np.random.default_rng(0).normal(size=(3, 4)))
    assert soft_accuracy(x, x) == 1
