"""pass@k and pass^k: by all sets of k trials, without bias, and with intervals that hold the truth."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

from nlgauge.maths.inference import chance_of, mean_of
from nlgauge.stats.trials import Chances, all_of, all_pass, designs, one_passes
from tests.answers.designs import TRIALS, TrialDesign

DRAWS = 300


def counts(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.intp)


@pytest.mark.parametrize("n", range(1, 7))
def test_the_estimates_are_shares_of_all_sets_of_k_trials(n: int) -> None:
    for c in range(n + 1):
        trials = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            sets = list(combinations(trials, k))
            passed, of = counts(c), counts(n)
            assert all_of(passed, of, k)[0] == pytest.approx(np.mean([all(one) for one in sets]))
            assert one_passes(passed, of, k).value == pytest.approx(np.mean([any(one) for one in sets]))


@pytest.mark.parametrize("p", [0.0, 0.13, 0.5, 0.9, 1.0])
def test_the_estimates_have_no_bias(p: float) -> None:
    n = 7
    chances = np.array([math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)])
    passed, of = np.arange(n + 1), np.full(n + 1, n)
    for k in range(1, n + 1):
        assert chances @ all_of(passed, of, k) == pytest.approx(p**k)
        one = [one_passes(counts(c), counts(n), k).value for c in passed]
        assert chances @ one == pytest.approx(1 - (1 - p) ** k)


def test_many_trials_neither_overflow_nor_lose_their_digits() -> None:
    assert all_of(counts(1999), counts(2000), 1000)[0] == pytest.approx(0.5)
    assert one_passes(counts(1), counts(2000), 1000).value == pytest.approx(0.5)


def test_one_of_k_is_that_not_all_fail() -> None:
    rng = np.random.default_rng(1)
    of = rng.integers(3, 9, 30)
    passed = rng.binomial(of, 0.6)
    none = all_pass(of - passed, of, 3).measured()
    assert one_passes(passed, of, 3) == (1 - none.value, 1 - none.high, 1 - none.low)
    assert one_passes(passed, of, 1) == pytest.approx(all_pass(passed, of, 1).measured())


def test_the_moments_have_no_bias() -> None:
    """Over all outcomes of items that have chances of .2 and .9, each drawn with one half."""
    n, items, chances = 2, 3, (0.2, 0.9)
    between = within = 0.0
    for given in product(chances, repeat=items):
        for passed in product(range(n + 1), repeat=items):
            weight = math.prod(math.comb(n, c) * p**c * (1 - p) ** (n - c) for c, p in zip(passed, given, strict=True))
            shares = np.array(passed) / n
            found = np.mean([c * (n - c) / (n * (n - 1)) for c in passed])
            known = Chances.of(counts(*passed), np.full(items, n))
            assert known.within == pytest.approx(found)
            assert known.between == pytest.approx(max(0.0, shares.var(ddof=1) - found / n))
            weight /= len(chances) ** items
            within += weight * found
            between += weight * (shares.var(ddof=1) - found / n)
    assert within == pytest.approx(np.mean([p * (1 - p) for p in chances]))
    assert between == pytest.approx(np.var(chances))


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (5, 1), (5, 2), (5, 4), (5, 5)])
def test_the_variance_of_an_estimate_is_that_of_beta_binomial_trials(n: int, k: int) -> None:
    a, b = 2.0, 1.5
    mean = a / (a + b)
    known = Chances(mean, mean * (1 - mean) / (a + b + 1), math.nan)._replace(within=a * b / ((a + b) * (a + b + 1)))

    def log_beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    chances = np.array([math.comb(n, c) * math.exp(log_beta(a + c, b + n - c) - log_beta(a, b)) for c in range(n + 1)])
    estimates = all_of(np.arange(n + 1), np.full(n + 1, n), k)
    literal = chances @ estimates**2 - (chances @ estimates) ** 2
    assert known.variance(n, k) == pytest.approx(literal)


def test_designs_cost_what_they_say_and_the_best_is_best() -> None:
    known = Chances(0.7, 0.05, 0.16)
    now, items, trials, best = designs(known, 2, items=40, trials=4, costs=(10, 1))
    assert (now.items, now.trials, now.cost) == (40, 4, 560)
    assert (items.items, items.trials) == (80, 4) and (trials.items, trials.trials) == (40, 18)
    assert all(one.cost <= 2 * now.cost for one in (items, trials, best))
    assert best.half <= min(items.half, trials.half) < now.half
    # Where items cost nothing beside their trials, as few trials as can be are best; where trials cost nothing, many.
    *_, best = designs(known, 1, items=40, trials=4, costs=(0, 1))
    assert best.trials == 1
    *_, best = designs(known, 1, items=40, trials=4, costs=(1000, 1))
    assert best.trials > 20


def test_values_of_0_and_1_are_an_ordinary_share() -> None:
    values = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    assert chance_of(values, 0.2) == mean_of(values, (0.0, 1.0))


def test_a_larger_known_variance_makes_the_interval_longer_and_a_smaller_one_changes_nothing() -> None:
    values = np.array([0.0, 0.0, 0.1, 0.0, 0.3, 0.0, 0.2, 0.0])
    own = chance_of(values, 0.0).interval()
    assert chance_of(values, 0.5 * float(values.var(ddof=1))).interval() == own
    low, high = chance_of(values, 3 * float(values.var(ddof=1))).interval()
    assert low < own[0] and high > own[1]


def test_the_interval_and_the_test_agree() -> None:
    said = chance_of(np.array([0.2, 0.4, 0.0, 0.7, 0.3, 0.1]), 0.02)
    for level in (0.9, 0.95, 0.99):
        low, high = said.interval(level)
        assert said.above(low) == pytest.approx((1 - level) / 2) and said.below(high) == pytest.approx((1 - level) / 2)


def test_clusters_never_make_the_interval_shorter() -> None:
    rng = np.random.default_rng(4)
    of = np.repeat(np.arange(10), 3)
    passed = rng.binomial(6, np.repeat(rng.beta(2, 1, 10), 3))
    alone, grouped = (all_pass(passed, np.full(30, 6), 3, clusters).interval() for clusters in (None, of))
    assert grouped[0] <= alone[0] and grouped[1] >= alone[1] and grouped != alone


@pytest.mark.parametrize("design", TRIALS, ids=lambda design: design.name)
def test_intervals_of_pass_all_hold_with_correlated_trials(design: TrialDesign) -> None:
    rng = np.random.default_rng(21)
    held = []
    for _ in range(DRAWS):
        passed, trials = design.draw(rng)
        low, high = all_pass(passed, trials, design.k).interval()
        held.append(low <= design.truth <= high)
    chance = 3 * math.sqrt(0.95 * 0.05 / DRAWS)
    assert 0.93 - chance < np.mean(held) < 0.97 + chance, np.mean(held)
