"""Two systems: against the paired t-test, and the power that was asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.paired import paired, paired_totals


def test_paired_differences() -> None:
    values = np.random.default_rng(4).normal(0.4, 1, 80)
    found = paired(np.append(values, np.nan), replicates=4000)
    assert found.n == 80
    assert_allclose(found.difference, values.mean())
    assert_allclose(found.effect, values.mean() / values.std(ddof=1))
    turned = paired(-values, replicates=4000)
    assert_allclose((turned.low, turned.high, turned.effect), (-found.high, -found.low, -found.effect), atol=0.02)
    assert turned.needed(0.95, 0.8) == found.needed(0.95, 0.8)


def test_the_items_needed_give_the_power_asked_for() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    rng = np.random.default_rng(5)
    sample = rng.normal(size=20)
    sample = (sample - sample.mean()) / sample.std(ddof=1) + 0.4
    needed = int(paired(sample).needed(0.95, 0.8))
    assert needed == math.ceil((2.8015852 / 0.4) ** 2)
    studies = rng.normal(0.4, 1, (4000, needed))
    found = stats.ttest_1samp(studies, 0, axis=1).pvalue < 0.05
    assert_allclose(found.mean(), 0.8, atol=0.03)


def test_totals_that_are_means_are_compared_as_means_are() -> None:
    values = np.random.default_rng(2).normal(0.3, 1, (40, 2))
    one, other = (np.stack([values[:, n], np.ones(40)], 1) for n in range(2))
    of_totals = paired_totals(one, other, lambda counts: counts[..., 0] / counts[..., 1], replicates=4000)
    of_means = paired(values[:, 0] - values[:, 1], replicates=4000)
    assert_allclose(of_totals.difference, of_means.difference)
    assert_allclose((of_totals.low, of_totals.high, of_totals.p), (of_means.low, of_means.high, of_means.p), atol=0.04)
    assert_allclose(of_totals.effect, of_means.effect, rtol=0.05)
