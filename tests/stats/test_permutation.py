"""Permutation tests: against scipy, literal repetitions, and how often they are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS, correlation
from nlgauge.stats.correlation import LEVELS, estimate, means
from nlgauge.stats.permutation import crossed, exchanged, p_value, shuffled
from nlgauge.stats.resampling import permuted
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


def test_rows_that_are_not_crossed_are_shuffled_one_by_one() -> None:
    x, y = np.full((30, 3), np.nan), np.full((30, 3), np.nan)
    rng = np.random.default_rng(1)
    cells = (np.arange(30), rng.integers(0, 3, 30))
    x[cells], y[cells] = rng.normal(size=30), rng.normal(size=30)
    assert not crossed(x, y)
    value = estimate(x, y, PEARSON, "pooled").value
    assert_allclose(value, np.corrcoef(x[cells], y[cells])[0, 1])
    assert np.isnan(shuffled(x, y, PEARSON, "item", replicates=5)).all()
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    null = shuffled(x, y, PEARSON, "pooled", replicates=3000)
    assert_allclose(p_value(value, null), stats.pearsonr(x[cells], y[cells]).pvalue, atol=0.04)


def test_p_values() -> None:
    null = np.array([-0.5, 0.1, 0.2, np.nan])
    assert p_value(0.5, null) == 2 / 4
    assert p_value(0.15, null, None) == 2 / 4
    assert p_value(0.9, null) == 1 / 4
    assert math.isnan(p_value(math.nan, null))
    assert math.isnan(p_value(0.5, np.full(3, np.nan)))


@pytest.mark.parametrize("name", ["pearson", "kendall"])
@pytest.mark.parametrize("level", LEVELS)
def test_exchanging_metrics(name: str, level: str) -> None:
    x, y = table(8, items=25, systems=8, missing=0.05)
    rng = np.random.default_rng(0)
    kind = COEFFICIENTS[name]
    worse = y + 100 * rng.normal(size=y.shape)  # of another scale, which must not matter
    both = ~(np.isnan(x) | np.isnan(worse))
    difference, p = exchanged(x, worse, y, kind, level, replicates=199)
    expected = [estimate(np.where(both, a, np.nan), np.where(both, y, np.nan), kind, level).value for a in (x, worse)]
    assert_allclose(difference, expected[0] - expected[1], atol=1e-12)
    assert 0 < p <= (0.05 if level != "system" else 1)
    assert exchanged(x, x, y, kind, level, replicates=20) == (0, 1)
    other_way, again = exchanged(worse, x, y, kind, level, replicates=199)
    assert (other_way, again) == (pytest.approx(-difference), pytest.approx(p, abs=0.02))


def test_exchanging_equally_good_metrics_seldom_finds_a_difference() -> None:
    rng = np.random.default_rng(3)
    p = []
    for trial in range(60):
        y = rng.normal(size=(15, 5))
        x, other = (y + rng.normal(size=y.shape) for _ in range(2))
        p.append(exchanged(x, other, y, PEARSON, "pooled", replicates=99, seed=trial)[1])
    assert np.mean(np.array(p) <= 0.05) <= 0.15
    assert 0.35 < np.mean(p) < 0.65
