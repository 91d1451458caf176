"""Intervals of few items: against scipy, published figures, and what they promise."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import expanded, share_interval


def test_the_expanded_level_makes_the_normal_as_wide_as_t() -> None:
    # At n = 8: t_.975,7 = 2.3646 (any table), times sqrt(8 / 7) = 2.5279.
    assert NormalDist().inv_cdf((1 + expanded(0.95, 8)) / 2) == pytest.approx(2.3646 * math.sqrt(8 / 7), abs=1e-4)
    assert 0.95 < expanded(0.95, 200) < expanded(0.95, 20) < expanded(0.95, 8) < 1
    assert expanded(0.95, 1) == 0.95


def test_wilson_as_scipy_and_as_published() -> None:
    # Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 1 of 29; method 5 (exact): 0 of 20.
    for successes, n, low, high in (
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1684), (1, 29, 0.0061, 0.1718),
    ):  # fmt: skip
        assert_allclose(share_interval(successes / n, n, 0.95), (low, high), atol=5e-5)
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    for successes, n, level, method in ((3, 9, 0.9, "wilson"), (9, 9, 0.8, "exact"), (40, 61, 0.99, "wilson")):
        expected = stats.binomtest(successes, n).proportion_ci(level, method=method)
        assert_allclose(share_interval(successes / n, n, level), (expected.low, expected.high), atol=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_two_items_are_widened_as_all_others_are(level: float) -> None:
    """With one degree of freedom Student's t is Cauchy's: its quantile is tan(pi level / 2)."""
    z = math.sqrt(2) * math.tan(math.pi * level / 2)
    assert expanded(level, 2) == pytest.approx(2 * NormalDist().cdf(z) - 1, abs=1e-9)
