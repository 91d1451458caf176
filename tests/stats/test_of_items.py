"""Intervals and tests of a coefficient for other items: how often they hold, and that they are never certain."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import ScoreTable
from nlgauge.answers.correlate import correlate
from nlgauge.data.table import Column
from nlgauge.maths.inference import mean_of
from nlgauge.maths.intervals import student_quantile
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS, estimate
from nlgauge.stats.of_items import MOST_LEFT_OUT, _dealt, difference_of_items, of_items
from tests.answers.conftest import made

PEARSON, KENDALL = COEFFICIENTS["pearson"], COEFFICIENTS["kendall"]
Drawn = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def rows(rho: float) -> Drawn:
    """A row an item, normal, correlated at rho."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.normal(size=(n, 1))
        return rho * y + math.sqrt(1 - rho**2) * rng.normal(size=(n, 1)), y

    return drawn


def verdicts(right: float) -> Drawn:
    """A row an item, of which seven in ten are good: a judge says so of the share `right`."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random((n, 1)) < 0.7).astype(float)
        return np.where(rng.random((n, 1)) < right, y, 1 - y), y

    return drawn


def shared(systems: int, rho: float) -> Drawn:
    """Systems differ, and items have something in common, as have metric and people."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = np.sin(1.7 * np.arange(systems)), np.arange(systems) / 2.0
        for shape in ((n, 1), (n, systems)):
            effect = rng.normal(size=shape)
            x, y = x + rho * effect + math.sqrt(1 - rho**2) * rng.normal(size=shape), y + effect
        return x, y

    return drawn


@pytest.mark.parametrize("n", [5, 12])
@pytest.mark.parametrize(
    ("level", "name", "drawn"),
    [
        ("pooled", "pearson", rows(0.0)),
        ("pooled", "pearson", rows(0.9)),
        ("pooled", "pearson", verdicts(0.98)),
        ("pooled", "kendall", shared(3, 0.6)),
        ("pooled", "accuracy", shared(3, 0.6)),
        ("item", "pearson", shared(3, 0.9)),
        ("item", "pearson", shared(16, 0.6)),
        ("item", "kendall", shared(5, 0.6)),
        ("system", "pearson", shared(5, 0.6)),
        ("system", "kendall", shared(8, 0.6)),
    ],
)
def test_intervals_of_few_items_hold(level: str, name: str, drawn: Drawn, n: int) -> None:
    """docs/statistics.md has the table of many draws; of these 200, 95 % are 190, give or take 3."""
    kind, rng, draws = COEFFICIENTS[name], np.random.default_rng(n + 7), 200
    truth = float(np.mean([estimate(*drawn(rng, 700), kind, level).value for _ in range(12)]))
    held = known = 0
    for _ in range(draws):
        x, y = drawn(rng, n)
        value = estimate(x, y, kind, level).value
        if math.isnan(value):
            continue
        low, high, p = of_items(x, y, kind, level)
        known += 1
        held += low <= truth <= high
        assert kind.least <= low <= value <= high <= 1 and high - low > 1e-3
        assert math.isnan(p) if kind.chance is None else (p < 0.05) == (not low <= 0 <= high)
    assert held / known >= 0.91


def test_at_item_level_it_is_student_t_beside_two_more_pairs() -> None:
    x, y = made(3, items=9, systems=4)
    each = PEARSON.of_numbers(x, y)
    low, high, p = of_items(x, y, PEARSON, "item")
    plain = mean_of(each, (-1, 1)).interval()
    more = 2 / 6
    padded = np.append(each, [-1, 1])
    weights = np.append(np.ones(9), [more, more])
    centre = np.average(padded, weights=weights)
    error = math.sqrt((weights * (padded - centre) ** 2).sum() / (8 + 2 * more) / (9 + 2 * more))
    half = student_quantile(0.975, 8 + 2 * more) * error
    assert_allclose((low, high), (min(plain[0], centre - half), min(1, max(plain[1], centre + half))), rtol=1e-12)
    assert (p < 0.05) == (low > 0)


def test_a_pooled_interval_is_a_jackknife_of_fishers_z() -> None:
    x, y = made(5, items=11, systems=3, missing=0.1)
    z = np.arctanh(estimate(x, y, PEARSON, "pooled").value)
    without = np.arctanh([estimate(*(np.delete(a, i, 0) for a in (x, y)), PEARSON, "pooled").value for i in range(11)])
    error = math.sqrt(10 / 11 * ((without - without.mean()) ** 2).sum())
    half = student_quantile(0.975, 10) * error
    low, high, _ = of_items(x, y, PEARSON, "pooled")
    assert_allclose((low, high), np.tanh([z - half, z + half]), rtol=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["pearson", "kendall", "accuracy", "pairwise_difference"])
def test_perfect_agreement_is_not_certain(level: str, name: str) -> None:
    if name == "pairwise_difference" and level != "item":
        return
    kind = COEFFICIENTS[name]
    lows = []
    for n in (3, 8, 40):
        y = np.random.default_rng(1).normal(size=(n, 4)) + np.arange(4)
        low, high, p = of_items(y, y, kind, level)
        assert kind.least <= low < 0.999 and high == pytest.approx(1)
        assert kind.chance is None or p > 0
        lows.append(low)
    assert lows[0] < lows[1] < lows[2]
    low, high, _ = of_items(-y, y, kind, level)
    assert low == pytest.approx(kind.least) and high > kind.least + 1e-3


def test_one_item_and_one_cluster_say_nothing() -> None:
    x, y = made(2, items=6)
    for level in LEVELS:
        assert all(map(math.isnan, of_items(x[:1], y[:1], PEARSON, level)))
        assert all(map(math.isnan, of_items(x, y, PEARSON, level, np.zeros(6, int))))
        assert all(map(math.isnan, difference_of_items(x[:1], x[:1] ** 2, y[:1], PEARSON, level)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("items", [12, 600])
def test_clusters_never_make_an_interval_shorter(level: str, items: int) -> None:
    x, y = shared(3, 0.6)(np.random.default_rng(items), items)
    clusters = np.arange(items) % (items // 3)
    plain, whole = (of_items(x, y, PEARSON, level, of) for of in (None, clusters))
    assert whole.low <= plain.low and whole.high >= plain.high and whole.p >= plain.p
    if items > MOST_LEFT_OUT["pooled"] and level == "pooled":
        alone = of_items(x, y, PEARSON, level, np.arange(items))
        assert alone.high - alone.low == pytest.approx(plain.high - plain.low, rel=0.2)


@pytest.mark.parametrize(("sizes", "parts"), [([1000], 500), ([7], 7), ([600, 30, 370], 500), ([1] * 600, 600)])
def test_many_items_are_left_out_in_parts_of_one_size_and_cluster(sizes: list[int], parts: int) -> None:
    of = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    dealt = _dealt(of, 500)
    counts = np.bincount(dealt)
    assert len(counts) == parts and counts.min() >= 1 and counts.max() - counts.min() <= 1
    assert all(len(set(of[dealt == part])) == 1 for part in range(parts))
    if sizes == [1000]:
        assert (np.sort(dealt[:500]) != np.arange(500)).any()  # neighbours are not dealt in turn


def test_the_order_of_systems_is_asked_of_parts_of_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single item of 60 changes the order seldom, and then by much: the interval would be half as long again."""
    x, y = shared(16, 0.6)(np.random.default_rng(1), 60)
    found = of_items(x, y, KENDALL, "system")
    monkeypatch.setitem(MOST_LEFT_OUT, "system", 60)
    alone = of_items(x, y, KENDALL, "system")
    assert found.high - found.low < 0.8 * (alone.high - alone.low)


def test_one_row_that_decides_makes_the_interval_hold_0() -> None:
    """One bad row of twenty: without it the ratings are constant."""
    y = np.ones((20, 1))
    y[3] = 0
    x = y + np.random.default_rng(0).normal(size=y.shape) / 9
    low, high, p = of_items(x, y, PEARSON, "pooled")
    assert low < 0 < high and p > 0.05


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [8, 20])
def test_differences_of_few_items_hold(level: str, n: int) -> None:
    rng, draws = np.random.default_rng(n), 200

    def drawn(items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        (x, y), noise = shared(5, 0.8)(rng, items), rng.normal(size=(items, 5))
        return x, y + 2 * noise, y

    def difference(x: np.ndarray, other: np.ndarray, y: np.ndarray) -> float:
        return estimate(x, y, PEARSON, level).value - estimate(other, y, PEARSON, level).value

    truth = float(np.mean([difference(*drawn(2000)) for _ in range(10)]))
    held = 0
    for _ in range(draws):
        x, other, y = drawn(n)
        low, high = difference_of_items(x, other, y, PEARSON, level)
        assert -2 <= low <= difference(x, other, y) <= high <= 2
        held += low <= truth <= high
    assert held / draws >= (0.84 if level == "system" else 0.91)  # which a note says of few items


def test_equal_metrics_have_no_certain_difference() -> None:
    x, y = made(1)
    for level in LEVELS:
        low, high = difference_of_items(x, x, y, PEARSON, level)
        assert low < -0.01 and high > 0.01


def test_correlate_takes_interval_and_p_from_here() -> None:
    x, y = made(8, items=7)
    keys = [(f"s{s}", str(i)) for i in range(7) for s in range(5)]
    table = ScoreTable(keys, {"M": Column(("score",), x.reshape(-1, 1))}, {})
    given = dict(zip(keys, y.ravel().tolist(), strict=True))
    for level in LEVELS:
        (one,) = found = correlate(table, given, level=level, resample="items")
        assert (one.low, one.high, one.p) == of_items(x, y, PEARSON, level)
        assert any("means of 7 items are inexact" in note for note in found.notes) == (level == "system")
        assert math.isnan(correlate(table, given, level=level, resample="items", replicates=0).records[0].low)
    few = ScoreTable(keys[:5], {"M": Column(("score",), x[:1].reshape(-1, 1))}, {})
    found = correlate(few, {key: given[key] for key in keys[:5]}, level="pooled", resample="items")
    assert math.isnan(found.records[0].low) and found.notes[0].startswith("no interval (M score, rating)")
