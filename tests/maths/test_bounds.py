"""Exact tests of a risk: against sums of probabilities and scipy, and by drawing again and again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.bounds import binomial_p, certified, cluster_p, proportion


def test_binomial_tail_is_the_sum_of_its_probabilities() -> None:
    for n, risk in ((1, 0.1), (22, 0.1), (57, 0.35)):
        for wrong in range(n + 1):
            tail = sum(math.comb(n, k) * risk**k * (1 - risk) ** (n - k) for k in range(wrong + 1))
            assert_allclose(binomial_p(wrong, n, risk), tail, rtol=1e-10)
    assert binomial_p(0, 0, 0.1) == 1.0


def test_proportions_as_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    for count, n in ((0, 20), (3, 20), (20, 20), (41, 300)):
        theirs = stats.binomtest(count, n).proportion_ci(0.95, "exact")
        assert_allclose(proportion(count, n), theirs, atol=1e-9)


def test_the_rule_of_three() -> None:
    assert_allclose(proportion(0, 100, 0.9)[1], 1 - 0.05**0.01, rtol=1e-9)


def test_a_sequence_ends_where_one_is_not_rejected() -> None:
    assert certified([0.5, 0.01, 0.02, 0.2, 0.01], 1, 0.1) == [1, 2]
    assert certified([0.5, 0.01], 0, 0.1) == []
    assert certified([], 0, 0.1) == []


def test_clusters_of_one_agree_with_the_binomial_test_and_are_not_bolder() -> None:
    for wrong in range(0, 30, 3):
        flags = np.zeros(200)
        flags[:wrong] = 1
        assert cluster_p(flags, np.ones(200), 0.1) >= binomial_p(wrong, 200, 0.1)
    assert cluster_p(np.zeros(60), np.ones(60), 0.1) < 0.05
    assert cluster_p(np.zeros(0), np.zeros(0), 0.1) == 1.0


@pytest.mark.parametrize("sizes", [np.ones(120, int), np.arange(120) % 6 + 1], ids=["rows", "clusters"])
def test_a_risk_that_is_too_large_is_seldom_certified(sizes: np.ndarray) -> None:
    """Rows of a cluster are wrong together, or right together; the risk is a hair above the one that is tested."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(2000):
        wrong = sizes * (rng.random(120) < 0.101)
        hits += cluster_p(wrong.astype(float), sizes.astype(float), 0.1) <= 0.1
    assert hits / 2000 <= 0.1
    naive = [binomial_p(int((sizes * (rng.random(120) < 0.101)).sum()), int(sizes.sum()), 0.1) for _ in range(2000)]
    assert sizes.max() == 1 or np.mean(np.array(naive) <= 0.1) > 0.15


def test_the_test_of_clusters_is_the_wealth_of_its_bet() -> None:
    """The wealth is multiplied for each cluster; the bet is the one that grows most if half the risk were true."""
    passed, risk = np.array([1.0, 3, 0, 2, 2, 5, 1, 1, 4, 2, 1, 3, 2, 1, 1, 6, 1, 2, 1, 1, 2, 1, 3, 1, 2]), 0.25
    half = np.zeros(len(passed))
    half[np.flatnonzero(passed)[7::8]] = passed[np.flatnonzero(passed)[7::8]]
    wealths = {}
    for percent in range(1, 100):
        bet = percent / 100 / ((1 - risk) * passed.max())
        hoped = math.prod(1 + bet * (risk * one - wrong) for one, wrong in zip(passed, half, strict=True))
        wealths[hoped] = bet
    bet = wealths[max(wealths)]
    for bad in ([], [0], [1, 8], [5, 15]):
        wrong = np.zeros(len(passed))
        wrong[bad] = passed[bad]
        wealth = math.prod(1 + bet * (risk * one - lost) for one, lost in zip(passed, wrong, strict=True))
        assert cluster_p(wrong, passed, risk) == pytest.approx(min(1.0, 1 / wealth), rel=1e-9)
