"""Resampling and permutation tests: literal repetitions, scipy, and how often they are right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS, correlation
from nlgauge.stats.correlation import LEVELS, coefficient, estimate, means
from nlgauge.stats.resampling import bootstrap, drawn, exchanged, interval, p_value, permuted, shuffled
from tests.stats.conftest import made

PEARSON = COEFFICIENTS["pearson"]


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall_14", "accuracy", "accuracy_calibrated"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("resample", ["both", "items", "systems"])
def test_the_bootstrap_is_that_of_a_loop(name: str, level: str, resample: str) -> None:
    x, y = made(1, missing=0.1)
    kind = coefficient(name, x, y, level)
    got = bootstrap(x, y, kind, level, resample=resample, replicates=25, seed=4)
    ((items, systems),) = drawn(x.shape, 25, 4, resample)
    assert (items == np.arange(12)).all() == (resample == "systems")
    assert (systems == np.arange(5)).all() == (resample == "items")
    for value, rows, columns in zip(got, items, systems, strict=True):
        a, b = x[np.ix_(rows, columns)], y[np.ix_(rows, columns)]
        if not name.startswith("accuracy"):
            expected = estimate(a, b, kind, level).value
        elif level == "pooled":
            cells = [(i, s) for i in rows for s in columns]
            expected = without_copies(a.ravel(), b.ravel(), cells, kind.epsilon or 0)
        else:
            pairs = [means(a, b)] if level == "system" else zip(a, b, strict=True)
            expected = np.nanmean([without_copies(*pair, columns, kind.epsilon or 0) for pair in pairs])
        assert_allclose(value, expected, atol=1e-12)


def without_copies(x: np.ndarray, y: np.ndarray, ids: Sequence[object], epsilon: float) -> float:
    """Accuracy over the pairs that are not one cell twice; differences up to epsilon are ties of the metric."""
    pairs = [
        (abs(x[i] - x[j]) > epsilon) * np.sign(x[i] - x[j]) == np.sign(y[i] - y[j])
        for i in range(len(x))
        for j in range(i)
        if ids[i] != ids[j] and not math.isnan(x[i] + y[i] + x[j] + y[j])
    ]
    return sum(pairs) / len(pairs) if pairs else math.nan


def test_the_interval_of_both_covers_the_truth() -> None:
    """Effects of items, of systems and of outputs, all correlated at .6: 95 % intervals hold .6 nearly that often."""
    rng = np.random.default_rng(0)
    covered = {"both": 0, "items": 0}
    for trial in range(100):
        x, y = 0.0, 0.0
        for shape in ((40, 1), (1, 25), (40, 25)):
            effect = rng.normal(size=shape)
            x, y = x + effect, y + 0.6 * effect + 0.8 * rng.normal(size=shape)
        for resample in covered:
            values = bootstrap(x, y, PEARSON, "pooled", resample=resample, replicates=100, seed=trial)
            low, high = interval(values)
            covered[resample] += low <= 0.6 <= high
    assert covered["both"] >= 85
    assert covered["items"] < covered["both"]  # says nothing about other systems


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
    x, y = made(6)
    got = shuffled(x, y, COEFFICIENTS["kendall"], level, replicates=10, seed=3)
    ((items, systems),) = permuted(x.shape, 10, 3)
    assert (np.sort(items) == np.arange(12)).all()
    for value, rows, columns in zip(got, items, systems, strict=True):
        expected = estimate(x[np.ix_(rows, columns)], y, COEFFICIENTS["kendall"], level).value
        assert_allclose(value, expected, atol=1e-12)


def test_system_level_p_is_that_of_all_permutations() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    x, y = made(7, systems=6)
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
