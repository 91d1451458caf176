"""Tie calibration finds the best threshold of all."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.testing import assert_allclose

from nlgauge.meta.calibration import calibrated, coefficient
from nlgauge.meta.coefficients import COEFFICIENTS
from nlgauge.meta.correlation import estimate
from tests.meta.literal import by_pairs


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


def test_other_coefficients_have_no_threshold() -> None:
    assert coefficient("kendall", np.ones((2, 2)), np.ones((2, 2)), "item") is COEFFICIENTS["kendall"]
