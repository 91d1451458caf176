"""Exact tests of a risk: against sums of probabilities and scipy, and by drawing again and again."""

from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import binomial_p, certified, proportion


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
