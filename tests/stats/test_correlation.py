"""Levels against the specification's worked numbers, and what is undefined."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import LEVELS, calibrated, coefficient, estimate, means
from tests.stats.literal import by_pairs

# The toy of the reference specification, section 8.6: three texts, four systems.
F = np.array([[0.9, 0.7, 0.4, 0.6], [0.8, 0.75, 0.5, 0.3], [0.2, 0.9, 0.1, 0.4]])
H = np.array([[5.0, 4, 2, 2], [4, 4, 3, 1], [2, 5, 1, 3]])
TOY = {
    "pooled": (0.9135538545489752, 0.9214074437168107, 0.8278327231656524),
    "item": (0.9528287054251353, 0.9657888653670094, 0.941913952783518),
    "system": (0.975821049500252, 0.9486832980505139, 0.9128709291752769),
}


@pytest.mark.parametrize("level", LEVELS)
def test_the_worked_numbers(level: str) -> None:
    found = [estimate(F, H, COEFFICIENTS[name], level) for name in ("pearson", "spearman", "kendall")]
    assert_allclose([one.value for one in found], TOY[level], atol=1e-12)
    assert {(one.n, one.undefined, one.reason) for one in found} == {
        ({"pooled": 12, "item": 3, "system": 4}[level], 0, None)
    }


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall", "kendall_c"])
def test_constant_vectors_have_no_correlation_but_a_reason(name: str) -> None:
    constant, y = np.full((4, 3), 0.1), np.arange(12.0).reshape(4, 3)
    for level in LEVELS:
        where = " within every item" if level == "item" else ""
        for x, rated, reason in ((constant, y, "the metric is"), (y, constant, "the ratings are")):
            found = estimate(x, rated, COEFFICIENTS[name], level)
            assert math.isnan(found.value)
            assert found.reason == f"{reason} constant{where}"


def test_system_means_are_over_the_cells_that_both_have() -> None:
    x, y = F.copy(), H.copy()
    x[0, 0], y[1, 2] = np.nan, np.nan
    one, two = means(x, y)
    assert_allclose(one, [0.5, np.mean(F[:, 1]), (0.4 + 0.1) / 2, np.mean(F[:, 3])])
    assert_allclose(two, [3, H[:, 1].mean(), 1.5, 2])


def test_tie_calibration_finds_the_best_threshold_of_all() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, (4, 6)).astype(float)
        x = np.round(y + rng.normal(size=y.shape), 2)
        x[rng.random(x.shape) < 0.1] = np.nan
        steps = [abs(a - b) for row in x for a, b in itertools.combinations(row, 2) if a == a and b == b]
        tried = {
            epsilon: np.nanmean([by_pairs("accuracy", a, b, epsilon) for a, b in zip(x, y, strict=True)])
            for epsilon in [0.0, *sorted(steps)]
        }
        best = max(tried.values())
        kind = coefficient("accuracy_calibrated", x, y, "item")
        assert_allclose(estimate(x, y, kind, "item").value, best, atol=1e-12)
        assert kind.epsilon == min(epsilon for epsilon, value in tried.items() if value > best - 1e-12)
        assert best >= estimate(x, y, COEFFICIENTS["accuracy"], "item").value - 1e-12


def test_no_pair_no_threshold() -> None:
    assert calibrated(np.array([[1.0]]), np.array([[1.0]])) == 0
