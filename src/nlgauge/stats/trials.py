"""What passed trials say: the chance that one of k passes, that all of k pass, and what more of them would say.

An item with n trials, c of which pass, has unbiased estimates of the chance that at least one of k passes (pass@k, Chen
et al. 2021, arXiv:2107.03374), 1 - C(n - c, k) / C(n, k), and that all k pass (pass^k, Yao et al. 2024,
arXiv:2406.12045), C(c, k) / C(n, k). The mean over items is estimated, and items are what is drawn: trials of one item
are not independent of each other.

Where a variance is needed of more or fewer trials than there are, the chances of the items are taken to have a beta
distribution with the mean and the variance that were estimated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nlgauge.maths.inference import Inference, Measured, chance_of
from nlgauge.maths.intervals import student_quantile
from nlgauge.stats.arrays import Float, Integers

_LEAST, _MOST = 1e-3, 0.999
"""Of the share of the variance that is between items: a beta distribution has neither 0 nor 1"""
_TRIALS = 1000
"""Trials of an item that are planned, at most"""


def all_of(passed: Integers, trials: Integers, k: int) -> Float:
    """Return the unbiased estimate of the chance that k trials all pass (pass^k).

    Args:
        passed: how many trials of each item pass: [items].
        trials: how many trials each item has, k at least: [items].
        k: the number of trials.

    Returns:
        C(passed, k) / C(trials, k): [items].
    """
    pairs = zip(passed.tolist(), trials.tolist(), strict=True)
    return np.array([math.comb(c, k) / math.comb(n, k) for c, n in pairs], float)


class Chances(NamedTuple):
    """How the items' chances to pass are distributed, as the moments of their trials say."""

    mean: float
    between: float
    """The variance of the items' chances; 0 where they differ less than equal ones would"""
    within: float
    """The mean variance of one trial of an item: p (1 - p); NaN where no item has two trials"""

    @classmethod
    def of(cls, passed: Integers, trials: Integers) -> Chances:
        """Return the moments. passed, trials: as `all_of` takes them."""
        shares = passed / trials
        several = trials > 1
        if not several.any() or len(shares) < 2:
            return cls(float(shares.mean()), math.nan, math.nan)
        c, n = passed[several], trials[several]
        within = float((c * (n - c) / (n * (n - 1.0))).mean())
        between = float(shares.var(ddof=1)) - within * float((1 / trials).mean())
        return cls(float(shares.mean()), max(0.0, between), within)

    def variance(self, trials: int, k: int) -> float:
        """Return the variance of an item's estimate of pass^k, from the number of its trials; NaN if unknown.

        Two sets of k of the n trials share j with the chance C(k, j) C(n - k, k - j) / C(n, k), and all of their
        2 k - j trials pass with the chance E[p^(2 k - j)].
        """
        if math.isnan(self.within):
            return math.nan
        shared = range(max(0, 2 * k - trials), k + 1)
        total = math.comb(trials, k)
        both = sum(math.comb(k, j) * math.comb(trials - k, k - j) / total * self._moment(2 * k - j) for j in shared)
        return max(0.0, both - self._moment(k) ** 2)

    def _moment(self, order: int) -> float:
        """Return E[p^order] of the beta distribution with this mean and variance."""
        p = self.mean
        if p in (0.0, 1.0):
            return p
        share = min(max(self.between / (p * (1 - p)), _LEAST), _MOST)
        a, b = (chance * (1 - share) / share for chance in (p, 1 - p))
        return math.exp(math.fsum(math.log((a + i) / (a + b + i)) for i in range(order)))


def all_pass(passed: Integers, trials: Integers, k: int, clusters: Integers | None = None) -> Inference:
    """Return what items say of pass^k: the mean with its interval. clusters: the number of each item's group."""
    chances = Chances.of(passed, trials)
    counts = np.unique(trials, return_counts=True)
    variance = sum(
        count * chances.variance(n, k) for n, count in zip(*(column.tolist() for column in counts), strict=True)
    )
    return chance_of(all_of(passed, trials, k), 0.0 if math.isnan(variance) else variance / len(trials), clusters)


def one_passes(passed: Integers, trials: Integers, k: int, clusters: Integers | None = None) -> Measured:
    """Return pass@k with its interval, which is that none of k fails to fail."""
    none = all_pass(trials - passed, trials, k, clusters).measured()
    return Measured(1 - none.value, 1 - none.high, 1 - none.low)


class Design(NamedTuple):
    """So many trials of so many items, and what they cost and say."""

    items: int
    trials: int
    """Of each item"""
    cost: float
    half: float
    """Half of the length of the interval of pass^k"""


def designs(chances: Chances, k: int, items: int, trials: int, costs: tuple[float, float]) -> Iterator[Design]:
    """Yield the present design, and three at twice its cost: with more items, with more trials, and the best of both.

    Args:
        chances: how the items' chances are distributed.
        k: the k of pass^k.
        items: how many there are.
        trials: of each item.
        costs: of an item, without its trials, and of one trial.

    Returns:
        Four designs; the last three cost twice as much as the first, or as little less as whole numbers allow.
    """
    of_item, of_trial = costs
    twice = 2 * items * (of_item + trials * of_trial)

    def made(m: int, n: int) -> Design:
        half = student_quantile(0.975, m - 1) * math.sqrt(chances.variance(n, k) / m)
        return Design(m, n, m * (of_item + n * of_trial), half)

    def affordable(n: int) -> int:
        return math.floor(twice / (of_item + n * of_trial) + 1e-9)

    yield made(items, trials)
    yield made(affordable(trials), trials)
    yield made(items, math.floor((twice / items - of_item) / of_trial + 1e-9))
    counts = ((affordable(n), n) for n in range(k, _TRIALS + 1))
    yield min((made(m, n) for m, n in counts if m >= 2), key=lambda design: design.half)
