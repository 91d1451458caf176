"""Soft pairwise accuracy against a permutation test and worked numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.meta.soft_accuracy import soft_accuracy, superiority


def test_superiority_is_a_paired_test() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs nlgauge[parity]")
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
