"""Interim analyses at any time: how often they err, what they find, and the bound that they are based on."""

from __future__ import annotations

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge.maths.intervals import interim_analysis, least_groups, spent


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
