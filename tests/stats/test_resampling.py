"""Resampling and permutation tests: literal repetitions, scipy, and how often they are right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS, correlation
from nlgauge.stats.correlation import LEVELS, coefficient, estimate, means
from nlgauge.stats.resampling import (
    bootstrap,
    by_cells,
    by_means,
    by_moments,
    drawn,
    exchanged,
    interval,
    p_value,
    permuted,
    sequential_p,
    shuffled,
)
from tests.answers.conftest import made

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


def test_resamples_that_are_all_alike_have_no_interval() -> None:
    assert all(map(math.isnan, interval(np.full(50, 0.3))))
    assert interval(np.append(np.full(50, 0.3), 0.4), 1 - 1e-9) == pytest.approx((0.3, 0.4))


@pytest.mark.parametrize("level", ["item", "pooled"])
@pytest.mark.parametrize("systems", [2, 5, 70])
@pytest.mark.parametrize("clustered", [False, True])
def test_shuffled_tables_have_the_correlation_of_their_cells(level: str, systems: int, clustered: bool) -> None:
    generator = np.random.default_rng(systems)
    x, y = generator.normal(size=(2, 9, systems)) * 1e200
    x[2], y[4] = 3.0, -1.0  # constant within an item
    clusters = np.arange(9) // 2 if clustered else None
    got = shuffled(x, y, PEARSON, level, replicates=12, seed=5, clusters=clusters)
    ((items, columns),) = permuted(x.shape, 12, 5, clusters)
    for value, rows, names in zip(got, items, columns, strict=True):
        assert value == pytest.approx(estimate(x[np.ix_(rows, names)], y, PEARSON, level).value, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("level", LEVELS)
def test_drawn_tables_that_nearly_tie_are_read_cell_by_cell(level: str) -> None:
    x, y = np.random.default_rng(3).normal(size=(2, 8, 4))
    x[:, :3] *= 1e-9  # a draw without the last system is nearly constant beside it
    y[:, 1:] = 1.0
    got = bootstrap(x, y, PEARSON, level, replicates=40, seed=2)
    ((items, systems),) = drawn(x.shape, 40, 2, "both")
    cut = [(np.ix_(rows, names)) for rows, names in zip(items, systems, strict=True)]
    expected = [estimate(x[one], y[one], PEARSON, level).value for one in cut]
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_p_values() -> None:
    null = np.array([-0.5, 0.1, 0.2, np.nan])
    assert p_value(0.5, null) == 2 / 4
    assert p_value(0.15, null, None) == 2 / 4
    assert p_value(0.9, null) == 1 / 4
    assert math.isnan(p_value(math.nan, null))
    assert math.isnan(p_value(0.5, np.full(3, np.nan)))


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall_c", "accuracy"])
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_exchanges_by_sums_are_those_of_cells(name: str, missing: float) -> None:
    """Some items are constant in a metric, or in the ratings."""
    kind = COEFFICIENTS[name]
    (x, y), (other, _) = made(4, missing=missing), made(54, missing=missing)
    x[:3], other[2:5], y[6] = 1, 2, 3
    known = ~np.isnan(x + other + y)
    x, other, y = (np.where(known, a, np.nan) for a in (x, other, y))
    swap = np.random.default_rng(0).random((60, *x.shape)) < 0.5
    swap[0], swap[1] = False, True
    for level in LEVELS:
        expected = by_cells(x, other, y, kind, level)(swap)
        for s, value in zip(swap[:9], expected, strict=False):
            pair = (np.where(t, other, x) for t in (s, ~s))
            assert_allclose(np.subtract(*(estimate(a, y, kind, level).value for a in pair)), value, atol=1e-12)
        if level == "system" or name == "pearson":
            by_sums = by_means(x, other, y, kind) if level == "system" else by_moments(x, other, y, level)
            assert_allclose(by_sums(swap), expected, atol=1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_p_of_exchanges_is_that_of_a_loop_over_all(level: str) -> None:
    """Of 2 items and 4 systems there are 256 exchanges."""
    (x, y), (other, _) = made(6, items=2, systems=4), made(7, items=2, systems=4)
    one, two = ((a - a.mean()) / a.std() for a in (x, other))
    null = []
    for number in range(256):
        swap = (number >> np.arange(8) & 1).astype(bool).reshape(2, 4)
        pair = (np.where(s, two, one) for s in (swap, ~swap))
        null.append(np.subtract(*(estimate(a, y, PEARSON, level).value for a in pair)))
    exact = np.mean(np.abs(null) >= abs(null[0]) - 1e-9)
    found, p = exchanged(x, other, y, PEARSON, level, replicates=20_000)
    assert found == pytest.approx(null[0])
    assert_allclose(p, exact, atol=4.5 * math.sqrt(exact * (1 - exact) / 1000))


def test_clusters_are_exchanged_as_wholes() -> None:
    (x, y), (other, _) = made(6), made(7)
    clusters = np.arange(12) // 6
    p = {exchanged(x, other, y, PEARSON, "pooled", replicates=4000, clusters=of)[1] for of in (None, clusters)}
    assert len(p) == 2
    two = [exchanged(a, b, y, PEARSON, "pooled", clusters=clusters, replicates=2000)[1] for a, b in ((x, y), (y, x))]
    assert min(two) > 1 / 2**10 / 2  # two clusters of five systems: 1,024 exchanges


def test_draws_end_where_p_is_clearly_large_and_p_stays_valid() -> None:
    """Under the hypothesis p is at most u in at most the share u of cases, for every u: also where draws end early."""
    rng, p, drawn = np.random.default_rng(3), [], []
    for _ in range(3000):
        sizes: list[int] = []

        def draw(count: int, sizes: list[int] = sizes) -> np.ndarray:
            sizes.append(count)
            return rng.normal(size=count)

        p.append(sequential_p(float(rng.normal()), draw, 6000))
        drawn.append(sum(sizes))
        assert sizes == [1000, 1000, 2000, 2000][: len(sizes)]
    for u in (0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.051, 0.1, 0.5):
        assert np.mean(np.array(p) <= u) <= u + 4 * math.sqrt(u / 3000)
    assert 0.93 < np.mean(np.array(drawn) == 1000) < 0.97  # those with a p above 0.05
    assert {round(one * 6001, 6) % 1 for one, n in zip(p, drawn, strict=True) if n == 6000} <= {0, 1}
    value = sequential_p(9.0, lambda count: np.zeros(count), 6000)
    assert value == 1 / 6001
    assert math.isnan(sequential_p(math.nan, lambda count: np.zeros(count), 6000))


def test_exchanging_equally_good_metrics_seldom_finds_a_difference() -> None:
    rng = np.random.default_rng(3)
    p = []
    for trial in range(60):
        y = rng.normal(size=(15, 5))
        x, other = (y + rng.normal(size=y.shape) for _ in range(2))
        p.append(exchanged(x, other, y, PEARSON, "pooled", replicates=99, seed=trial)[1])
    assert np.mean(np.array(p) <= 0.05) <= 0.15
    assert 0.35 < np.mean(p) < 0.65
