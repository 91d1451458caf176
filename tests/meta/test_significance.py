"""Resampling and tests: against scipy, closed forms, literal repetitions, and how often they are right."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from nlgauge.errors import InputError
from nlgauge.meta.correlation import COEFFICIENTS, LEVELS, coefficient, correlation, estimate, means
from nlgauge.meta.significance import (
    benjamini_hochberg,
    bootstrap,
    clusters,
    crossed,
    drawn,
    exchanged,
    holm,
    interval,
    p_value,
    paired,
    permuted,
    shuffled,
    student_tail,
    williams,
)

PEARSON = COEFFICIENTS["pearson"]


def table(seed: int, items: int = 12, systems: int = 5, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and ratings with ties that have something in common, as do outputs of one item and of one system."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(items, 1)) + rng.normal(size=systems)
    x, y = (np.round(shared + rng.normal(size=(items, systems)), 1) for _ in range(2))
    x[rng.random(x.shape) < missing] = np.nan
    return x, y


# ---- Resampling


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall_14", "accuracy"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("resample", ["both", "items", "systems"])
def test_the_bootstrap_is_that_of_a_loop(name: str, level: str, resample: str) -> None:
    x, y = table(1, missing=0.1)
    got = bootstrap(x, y, COEFFICIENTS[name], level, resample=resample, replicates=25, seed=4)
    ((items, systems),) = drawn(x.shape, 25, 4, resample)
    assert (items == np.arange(12)).all() == (resample == "systems")
    assert (systems == np.arange(5)).all() == (resample == "items")
    for value, rows, columns in zip(got, items, systems, strict=True):
        a, b = x[np.ix_(rows, columns)], y[np.ix_(rows, columns)]
        if name != "accuracy":
            assert_allclose(value, estimate(a, b, COEFFICIENTS[name], level).value, atol=1e-12)
        elif level == "system":
            one, two = (a.tolist() for a in means(a, b))
            assert_allclose(value, without_copies(one, two, columns.tolist()), atol=1e-12)
        elif level == "pooled":
            cells = [(i, s) for i in rows for s in columns]
            assert_allclose(value, without_copies(a.ravel().tolist(), b.ravel().tolist(), cells), atol=1e-12)
        else:
            each = [without_copies(*pair, columns.tolist()) for pair in zip(a.tolist(), b.tolist(), strict=True)]
            assert_allclose(value, np.nanmean(each), atol=1e-12)


def without_copies(x: list[float], y: list[float], ids: list) -> float:  # type: ignore[type-arg]
    """Accuracy over the pairs that are not one cell twice."""
    pairs = [
        np.sign(x[i] - x[j]) == np.sign(y[i] - y[j])
        for i in range(len(x))
        for j in range(i)
        if ids[i] != ids[j] and not math.isnan(x[i] + y[i] + x[j] + y[j])
    ]
    return sum(pairs) / len(pairs) if pairs else math.nan


def test_the_calibrated_threshold_is_kept_in_resamples() -> None:
    x, y = table(3)
    kind = coefficient("accuracy_calibrated", x, y, "item")
    low, high = interval(bootstrap(x, y, kind, "item", resample="items"))
    assert low <= estimate(x, y, kind, "item").value <= high


def test_seeds_repeat_and_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = table(2)
    first = bootstrap(x, y, PEARSON, "pooled", seed=1, replicates=50)
    assert (first == bootstrap(x, y, PEARSON, "pooled", seed=1, replicates=50)).all()
    assert (first != bootstrap(x, y, PEARSON, "pooled", seed=2, replicates=50)).any()
    assert bootstrap(x, y, PEARSON, "pooled", replicates=0).shape == (0,)
    monkeypatch.setattr("nlgauge.meta.significance._AT_ONCE", 7 * x.size)
    assert len(bootstrap(x, y, PEARSON, "pooled", replicates=50)) == 50
    assert [len(items) for items, _ in drawn(x.shape, 50, 0)] == [7] * 7 + [1]


def test_intervals_need_defined_replicates() -> None:
    assert interval(np.array([1.0, 2, 3, np.nan]), 0.5) == (1.5, 2.5)
    assert all(map(math.isnan, interval(np.array([1.0, np.nan, np.nan]))))
    assert all(map(math.isnan, interval(np.empty(0))))


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


# ---- Against no agreement


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
    expected = stats.pearsonr(x[cells], y[cells])
    assert_allclose(value, expected[0])
    assert_allclose(p_value(value, shuffled(x, y, PEARSON, "pooled", replicates=3000)), expected.pvalue, atol=0.04)
    assert np.isnan(shuffled(x, y, PEARSON, "item", replicates=5)).all()


def test_p_values() -> None:
    null = np.array([-0.5, 0.1, 0.2, np.nan])
    assert p_value(0.5, null) == 2 / 4
    assert p_value(0.15, null, None) == 2 / 4
    assert p_value(0.9, null) == 1 / 4
    assert math.isnan(p_value(math.nan, null))
    assert math.isnan(p_value(0.5, np.full(3, np.nan)))


# ---- Two metrics


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


# t, p with n - 3 and n - 2 degrees of freedom: the specification's numbers, the first of which R's package prints.
WILLIAMS = [
    ((0.65, 0.55, 0.3, 50), 0.8160781865467162, 0.20928617286753579, 0.20924348296400863),
    ((0.888, 0.776, 0.80, 16), 1.4062061300401407, 0.09155691355501504, 0.09073467800179279),
    (
        (0.832697365507166, 0.600862600673365, 0.558064291449148, 16),
        1.6031162432689385, 0.06645889264879408, 0.06561205335088006,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "t", "p", "p_of_r"), WILLIAMS)
def test_williams(given: tuple[float, float, float, int], t: float, p: float, p_of_r: float) -> None:
    found = williams(*given)
    assert_allclose((found.t, found.p, found.two_sided), (t, p, 2 * p), rtol=1e-10)
    assert found.df == given[3] - 3
    assert_allclose(williams(*given, df="n-2").p, p_of_r, rtol=1e-10)
    r12, r13, r23, n = given
    assert_allclose(williams(r13, r12, r23, n).p, 1 - p, rtol=1e-10)
    assert_allclose(williams(r13, r12, r23, n).two_sided, 2 * p, rtol=1e-10)


def test_williams_at_its_edges() -> None:
    assert williams(0.5, 0.5, 1, 20).p == 0.5
    assert math.isnan(williams(math.nan, 0.5, 0.5, 20).p)
    for bad in ((0.9, -0.9, 0.9, 20), (1.5, 0, 0, 20), (0.5, 0.4, 0.3, 3)):
        with pytest.raises(InputError):
            williams(*bad)
    with pytest.raises(InputError, match="n-2"):
        williams(0.5, 0.4, 0.3, 9, df="n")


def test_students_tail() -> None:
    for df in (1, 2, 3, 13, 47, 500, 10_000):
        for t in (0, 1e-3, 0.4, 0.8160781865, 1.6, 3, 12, 60, -0.7, -5):
            assert_allclose(student_tail(t, df), stats.t.sf(t, df), rtol=1e-10)
    for t in (1e-9, 0.3, 7.0, 1e5):
        assert_allclose(student_tail(t, 1), math.atan2(1, t) / math.pi, rtol=1e-12)
        assert_allclose(student_tail(t, 2), 1 / (2 + t * t + t * math.sqrt(2 + t * t)), rtol=1e-12)
    assert (student_tail(math.inf, 5), student_tail(-math.inf, 5)) == (0, 1)


# ---- Several tests


def test_corrections() -> None:
    p = [0.01, 0.04, math.nan, 0.03, 0.6]
    assert_allclose(holm(p), [0.04, 0.09, math.nan, 0.09, 0.6])
    known = [0, 1, 3, 4]
    assert_allclose(benjamini_hochberg(p)[known], stats.false_discovery_control(np.array(p)[known]))
    assert math.isnan(benjamini_hochberg(p)[2])
    assert holm([0.7, 0.9]).max() == 1
    assert len(holm([])) == len(benjamini_hochberg([])) == 0


def test_clusters() -> None:
    values = [0.2, 0.9, 0.8, math.nan, 0.5]
    different = np.zeros((5, 5), bool)
    for i, j in ((1, 4), (1, 0), (2, 0), (4, 0)):
        different[i, j] = different[j, i] = True
    assert clusters(values, different) == [3, 1, 1, 4, 2]
    assert clusters([0.1, 0.2], np.zeros((2, 2), bool)) == [1, 1]
    assert clusters([], np.zeros((0, 0), bool)) == []


# ---- Two systems


def test_paired_differences() -> None:
    values = np.random.default_rng(4).normal(0.4, 1, 80)
    found = paired(np.append(values, np.nan), replicates=4000)
    assert found.n == 80
    assert_allclose(found.difference, values.mean())
    assert_allclose(found.effect, values.mean() / values.std(ddof=1))
    classic = stats.ttest_1samp(values, 0)
    assert_allclose(found.p, classic.pvalue, atol=0.02)
    assert_allclose((found.low, found.high), classic.confidence_interval(0.95), atol=0.05)
    turned = paired(-values, replicates=4000)
    assert_allclose((turned.low, turned.high, turned.effect), (-found.high, -found.low, -found.effect), atol=0.02)
    assert turned.needed == found.needed


def test_the_items_needed_give_the_power_asked_for() -> None:
    rng = np.random.default_rng(5)
    sample = rng.normal(size=20)
    sample = (sample - sample.mean()) / sample.std(ddof=1) + 0.4
    needed = int(paired(sample).needed)
    assert needed == math.ceil((2.8015852 / 0.4) ** 2)
    studies = rng.normal(0.4, 1, (4000, needed))
    found = stats.ttest_1samp(studies, 0, axis=1).pvalue < 0.05
    assert_allclose(found.mean(), 0.8, atol=0.03)


def test_paired_differences_of_few_or_odd_values() -> None:
    nothing, one, infinite = paired(np.full(3, np.nan)), paired(np.array([2.0])), paired(np.array([1, np.inf]))
    assert nothing.n == 0 and math.isnan(nothing.difference)
    assert one.difference == 2 and math.isnan(one.p) and math.isnan(one.low)
    assert infinite.difference == math.inf and math.isnan(infinite.p)
    equal = paired(np.zeros(9))
    assert (equal.difference, equal.low, equal.high, equal.p) == (0, 0, 0, 1)
    assert math.isnan(equal.effect) and math.isnan(equal.needed)
    steady = paired(np.full(9, 0.1))
    assert (steady.effect, steady.needed) == (math.inf, 2)
    assert paired(np.array([1.0, -1.0])).needed == math.inf
    small = paired(1e-14 * np.random.default_rng(1).normal(3, 1, 30))
    assert small.p < 0.01


def test_a_large_table_is_resampled_in_seconds() -> None:
    rng = np.random.default_rng(6)
    y = np.round(rng.normal(size=(100, 16)), 1)
    began = time.process_time()
    for _ in range(4):
        bootstrap(y + rng.normal(size=y.shape), y, COEFFICIENTS["kendall"], "pooled")
    assert time.process_time() - began < 4 * 1.5  # 20 metrics in 10 s are 0.5 each; room for a busy machine
