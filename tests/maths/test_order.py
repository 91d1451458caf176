"""Tests of random order: every order counted, and how often they err."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.order import halves_p, high, runs, runs_p


def test_p_is_the_share_of_all_orders() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 5, 9, 12, 13):
        for _ in range(4):
            labels = rng.permutation(np.arange(n) < rng.integers(1, n))
            half, ones = n // 2, int(labels.sum())
            orders = [np.isin(np.arange(n), places) for places in combinations(range(n), ones)]
            first = np.array([int(order[:half].sum()) for order in orders])
            seen = int(labels[:half].sum())
            few = np.mean([_runs(order.tolist()) <= _runs(labels.tolist()) for order in orders])
            assert runs(labels) == _runs(labels.tolist())
            assert_allclose(runs_p(labels), few, rtol=1e-10)
            assert_allclose(halves_p(labels), min(1, 2 * min((first <= seen).mean(), (first >= seen).mean())))


def _runs(labels: list[bool]) -> int:
    return 1 + sum(one != other for one, other in pairwise(labels))


def test_a_sorted_column_has_a_tiny_p() -> None:
    """2 of 120! / (88! 32!) orders have two runs."""
    labels = np.arange(120) < 88
    assert_allclose(runs_p(labels), 1.45918773e-29, rtol=1e-6)
    assert halves_p(labels) < 1e-11
    assert runs_p(np.ones(9, bool)) == halves_p(np.ones(9, bool)) == 1
    assert 0 < runs_p(np.arange(20_000) % 2 == 0) <= 1


def test_values_are_split_where_the_kinds_are_most_even() -> None:
    assert high(np.array([5.0, 5, 5, 4, 1])).tolist() == [True, True, True, False, False]
    assert high(np.array([1.0, 2, 2, 3, 3, 3])).tolist() == [False, False, False, True, True, True]
    assert not high(np.ones(4)).any() and not high(np.ones(0)).any()


@pytest.mark.parametrize("n", [20, 60, 200])
def test_random_order_is_found_wanting_no_more_often_than_the_level_says(n: int) -> None:
    """Of 2,000 sequences each, .000 to .059 by runs and by halves at the level .05 (20 to 400 values, five kinds)."""
    rng = np.random.default_rng(n)
    for share in (0.5, 0.9):
        p = np.array([[runs_p(labels), halves_p(labels)] for labels in rng.random((600, n)) < share])
        assert (p < 0.05).mean(0).max() < 0.075
        assert n < 60 or share > 0.5 or (p < 0.05).mean(0).min() > 0.01
