"""Permutation tests: against scipy, literal repetitions, and how often they are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS, correlation
from nlgauge.stats.correlation import LEVELS, estimate, means
from nlgauge.stats.resampling import exchanged, p_value, permuted, shuffled
from tests.stats.tables import table

PEARSON = COEFFICIENTS["pearson"]


@pytest.mark.parametrize("level", LEVELS)
def test_no_agreement_is_seldom_found_where_systems_and_items_differ(level: str) -> None:
    rng = np.random.default_rng(5)
    p = []
    for trial in range(100):
        x, y = (sum(rng.normal(size=shape) for shape in ((20, 1), (1, 8), (20, 8))) for _ in range(2))
        null = shuffled(x, y, PEARSON, level, replicates=99, seed=trial)
        p.append(p_value(estimate(x, y, PEARSON, level).value, null))
    assert np.mean(np.array(p) <= 0.05) <= 0.12
    assert 0.35 < np.mean(p) < 0.65


@pytest.mark.parametrize("level", ["item", "pooled"])
def test_shuffling_moves_whole_items_and_systems(level: str) -> None:
    x, y = table(6)
    got = shuffled(x, y, COEFFICIENTS["kendall"], level, replicates=10, seed=3)
    ((items, systems),) = permuted(x.shape, 10, 3)
    assert (np.sort(items) == np.arange(12)).all()
    for value, rows, columns in zip(got, items, systems, strict=True):
        expected = estimate(x[np.ix_(rows, columns)], y, COEFFICIENTS["kendall"], level).value
        assert_allclose(value, expected, atol=1e-12)


def test_system_level_p_is_that_of_all_permutations() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    x, y = table(7, systems=6)
    one, two = means(x, y)
    exact = stats.permutation_test(
        (one,), lambda a: stats.pearsonr(a, two)[0], permutation_type="pairings", n_resamples=np.inf
    ).pvalue
    null = shuffled(x, y, PEARSON, "system", replicates=4000)
    assert_allclose(p_value(float(correlation(one, two)), null), exact, atol=0.03)


def test_p_values() -> None:
    null = np.array([-0.5, 0.1, 0.2, np.nan])
    assert p_value(0.5, null) == 2 / 4
    assert p_value(0.15, null, None) == 2 / 4
    assert p_value(0.9, null) == 1 / 4
    assert math.isnan(p_value(math.nan, null))
    assert math.isnan(p_value(0.5, np.full(3, np.nan)))


def test_exchanging_equally_good_metrics_seldom_finds_a_difference() -> None:
    rng = np.random.default_rng(3)
    p = []
    for trial in range(60):
        y = rng.normal(size=(15, 5))
        x, other = (y + rng.normal(size=y.shape) for _ in range(2))
        p.append(exchanged(x, other, y, PEARSON, "pooled", replicates=99, seed=trial)[1])
    assert np.mean(np.array(p) <= 0.05) <= 0.15
    assert 0.35 < np.mean(p) < 0.65
