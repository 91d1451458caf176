"""Intervals and exact tests: sums of probabilities, scipy, closed forms, and interim analyses at any time."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import (
    binomial_p,
    certified,
    expanded,
    interim_analysis,
    least_groups,
    share_interval,
    spent,
    student_quantile,
    student_tail,
)


def test_the_expanded_level_makes_the_normal_as_wide_as_t() -> None:
    # At n = 8: t_.975,7 = 2.3646 (any table), times sqrt(8 / 7) = 2.5279.
    assert NormalDist().inv_cdf((1 + expanded(0.95, 8)) / 2) == pytest.approx(2.3646 * math.sqrt(8 / 7), abs=1e-4)
    assert 0.95 < expanded(0.95, 200) < expanded(0.95, 20) < expanded(0.95, 8) < 1
    assert expanded(0.95, 1) == 0.95


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_two_items_are_widened_as_all_others_are(level: float) -> None:
    """With one degree of freedom Student's t is Cauchy's: its quantile is tan(pi level / 2)."""
    z = math.sqrt(2) * math.tan(math.pi * level / 2)
    assert expanded(level, 2) == pytest.approx(2 * NormalDist().cdf(z) - 1, abs=1e-9)


def test_binomial_tail_is_the_sum_of_its_probabilities() -> None:
    for n, risk in ((1, 0.1), (22, 0.1), (57, 0.35)):
        for wrong in range(n + 1):
            tail = sum(math.comb(n, k) * risk**k * (1 - risk) ** (n - k) for k in range(wrong + 1))
            assert_allclose(binomial_p(wrong, n, risk), tail, rtol=1e-10)
    assert binomial_p(0, 0, 0.1) == 1.0


def test_a_sequence_ends_where_one_is_not_rejected() -> None:
    assert certified([0.01, 0.02, 0.2, 0.01], 1, 0.1) == [1, 2]
    assert certified(iter([0.1, 0.10001]), 3, 0.1) == [3]
    assert certified([0.5, 0.01], 0, 0.1) == []
    assert certified([], 0, 0.1) == []


def test_students_tail_as_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    for df in (1, 2, 3, 13, 47, 500, 10_000):
        for t in (0, 1e-3, 0.4, 0.8160781865, 1.6, 3, 12, 60, -0.7, -5):
            assert_allclose(student_tail(t, df), stats.t.sf(t, df), rtol=1e-10)


def test_students_tail_in_closed_form() -> None:
    for t in (1e-9, 0.3, 7.0, 1e5):
        assert_allclose(student_tail(t, 1), math.atan2(1, t) / math.pi, rtol=1e-12)
        assert_allclose(student_tail(t, 2), 1 / (2 + t * t + t * math.sqrt(2 + t * t)), rtol=1e-12)
    assert (student_tail(math.inf, 5), student_tail(-math.inf, 5)) == (0, 1)


def test_students_tail_of_very_many_degrees_is_the_normal_one() -> None:
    for df in (9.9e7, 1e8, 1e12, 1e300):
        for t in (-2.0, 0.0, 1.5, 4.0):
            assert_allclose(student_tail(t, df), NormalDist().cdf(-t), rtol=1e-5)
    assert student_quantile(0.975, 1e17) == pytest.approx(NormalDist().inv_cdf(0.975))


def test_the_quantile_gives_the_tail_back() -> None:
    for df in (1, 2, 3.5, 19, 98, 5000):
        for p in (0.001, 0.025, 0.3, 0.5, 0.6, 0.975, 0.99999):
            assert_allclose(student_tail(student_quantile(p, df), df), 1 - p, rtol=1e-9)
    assert_allclose(student_quantile(0.975, 2), 0.95 * math.sqrt(2 / (1 - 0.95**2)), rtol=1e-12)
    assert_allclose(student_quantile(0.025, 1), -math.tan(math.pi * 0.475), rtol=1e-12)


@pytest.mark.parametrize("df", [1.0, 1.5, 2.0, 4.7, 29.0, 999.0, 12345.6, 1e6, 9.9e7, 1e17])
def test_quantiles_are_those_of_a_bisection_to_the_last_bit(df: float) -> None:
    for p in (0.500001, 0.6, 0.8, 0.95, 0.975, 0.9999, 1 - 1e-9):
        low, high = 0.0, 1.0
        while student_tail(high, df) > 1 - p:
            low, high = high, 2 * high
        while high - low > 1e-13 * high and (middle := (low + high) / 2) not in (low, high):
            low, high = (middle, high) if student_tail(middle, df) > 1 - p else (low, middle)
        assert student_quantile(p, df) == (low + high) / 2


def test_all_interim_analyses_together_spend_the_level() -> None:
    assert math.fsum(spent(0.05, look) for look in range(1, 10_000)) == pytest.approx(0.05 * (1 - 1 / 10_000))


def test_the_bound_holds_for_every_sum_of_random_signs() -> None:
    """All 2^12 signs: the share of them that goes as far is never above what `p` says, two-sided, at the first one."""
    rng = np.random.default_rng(1)
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=12)))
    for sizes in (np.ones(12), rng.exponential(size=12), np.r_[5.0, np.ones(11)]):
        sums = np.abs(signs @ sizes)
        for x in np.unique(sums.round(9))[::7]:
            share = float((sums >= x - 1e-9).mean())
            one = signs[int(np.argmin(np.abs(sums - x)))] * sizes
            # An analysis has half of the level to spend, and says so.
            assert 2 * share <= interim_analysis(one.tolist(), [1] * 12, 1).p + 1e-9 or share > 0.5


def test_the_ends_are_the_shifts_that_just_pass() -> None:
    rng = np.random.default_rng(2)
    sums, sizes = rng.normal(1, 1, 40), np.ones(40)
    sizes[::3] = 2
    found = interim_analysis(sums.tolist(), sizes.tolist(), 4)
    z = -NormalDist().inv_cdf(spent(0.05, 4) / 2 * 4 * NormalDist().cdf(-math.sqrt(2)))
    for end in (found.low, found.high):
        shifted = sums - end * sizes
        assert_allclose(abs(shifted.sum()) / math.sqrt((shifted**2).sum()), z, rtol=1e-9)
    assert found.low < found.difference < found.high


def test_it_agrees_with_itself_and_few_items_show_nothing() -> None:
    for shift in (0.0, 0.3, 0.6, 1.2):
        values = np.random.default_rng(3).normal(shift, 1, 60).tolist()
        found = interim_analysis(values, [1] * 60, 2)
        assert (found.p < 0.05) == (not found.low <= 0 <= found.high)
    least = least_groups(1)
    assert math.isfinite(interim_analysis([1.0, 2.0] * least, [1] * 2 * least, 1).low)
    assert interim_analysis([1.0] * (least - 1), [1] * (least - 1), 1)[1:3] == (-math.inf, math.inf)
    assert interim_analysis([0.0] * 50, [1] * 50, 1) == (0, 0, 0, 1)


@pytest.mark.parametrize("fresh", [False, True], ids=["one baseline for all analyses", "new items at each analysis"])
def test_unchanged_histories_raise_few_false_alarms_and_losses_are_found(fresh: bool) -> None:
    """Histories of 1,000 rows: 20 analyses of 50 items. `benchmarks/monitor.py` takes 2,000 of each kind."""
    rng, alarms, found = np.random.default_rng(7), 0, 0
    for _ in range(200):
        mean = rng.beta(6, 2, 50)
        before = (rng.random(50) < mean).astype(float)
        histories = {"same": mean, "worse": mean - 0.35}
        raised = dict.fromkeys(histories, False)
        for look in range(1, 21):
            if fresh:
                before = (rng.random(50) < mean).astype(float)
            for name, level in histories.items():
                now = (rng.random(50) < level).astype(float)
                raised[name] |= interim_analysis((now - before).tolist(), [1] * 50, look).high < 0
        alarms, found = alarms + raised["same"], found + raised["worse"]
    assert alarms <= 10
    assert found >= 180


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_score_interval_has_the_level_that_was_asked_for(level: float) -> None:
    """Its ends are the shares of which the estimate is z deviations away; t with degrees of freedom."""
    for freedom, z in ((math.inf, NormalDist().inv_cdf((1 + level) / 2)), (5.0, student_quantile((1 + level) / 2, 5))):
        for end in share_interval(0.3, 20, level, freedom):
            assert abs(0.3 - end) == pytest.approx(z * math.sqrt(end * (1 - end) / 20))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_exact_interval_has_the_level_that_was_asked_for(level: float) -> None:
    """Where the share is its end, 20 items are all alike with the chance of half of what the level leaves."""
    (none, most), (least, whole) = (share_interval(share, 20, level) for share in (0.0, 1.0))
    assert (none, whole) == (0, 1)
    assert (1 - most) ** 20 == pytest.approx((1 - level) / 2)
    assert least**20 == pytest.approx((1 - level) / 2)
