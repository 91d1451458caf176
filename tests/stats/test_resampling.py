"""Resampling: literal repetitions, and how often the intervals are right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS, coefficient, estimate, means
from nlgauge.stats.resampling import bootstrap, drawn, interval
from tests.stats.tables import table

PEARSON = COEFFICIENTS["pearson"]


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


def test_the_calibrated_threshold_stays_in_resamples() -> None:
    x, y = table(3)
    kind = coefficient("accuracy_calibrated", x, y, "item")
    low, high = interval(bootstrap(x, y, kind, "item", resample="items"))
    assert low <= estimate(x, y, kind, "item").value <= high


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
