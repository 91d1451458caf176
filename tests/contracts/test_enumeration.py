"""Intervals of shares against their definitions at every level."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.data.table import Column, ScoreTable
from nlgauge.maths.intervals import proportion

LEVELS = (0.8, 0.9, 0.95, 0.99)
SHARES = ((0, 1), (1, 1), (0, 12), (1, 12), (5, 12), (11, 12), (12, 12), (57, 60), (3, 250))


def wilson_by_definition(count: int, n: int, level: float) -> list[float]:
    """The shares p at which (count / n - p)^2 = z^2 p (1 - p) / n."""
    z, share = NormalDist().inv_cdf((1 + level) / 2), count / n
    return sorted(np.roots([1 + z * z / n, -2 * share - z * z / n, share * share]).real.tolist())


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_of_a_share_is_of_the_level_that_was_asked_for(level: float) -> None:
    for count, n in ((5, 12), (57, 60), (3, 250)):
        values = np.array([1.0] * count + [0.0] * (n - count))[:, None]
        rows = [("a", str(item)) for item in range(n)]
        (found,) = ScoreTable(rows, {"X": Column(("score",), values)}, {}).by_system(confidence=level)
        assert_allclose((found.low, found.high), wilson_by_definition(count, n, level), atol=1e-7)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("count", "n"), SHARES)
def test_the_exact_interval_leaves_half_of_the_error_on_each_side(count: int, n: int, level: float) -> None:
    def at_most(most: int, share: float) -> float:
        return math.fsum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(most + 1))

    low, high = proportion(count, n, level)
    assert low == 0 if not count else at_most(count - 1, low) == pytest.approx((1 + level) / 2, abs=1e-9)
    assert high == 1 if count == n else at_most(count, high) == pytest.approx((1 - level) / 2, abs=1e-9)
