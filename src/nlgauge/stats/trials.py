"""Estimates from passed trials: the chances that one of k, and that all of k, pass, and plans of further trials.

Let c of the n trials of an item pass. An unbiased estimate of the chance that at least one of k trials passes (pass@k,
Chen et al. 2021, arXiv:2107.03374) is 1 - C(n - c, k) / C(n, k). An unbiased estimate of the chance that all k pass
(pass^k, Yao et al. 2024, arXiv:2406.12045) is C(c, k) / C(n, k). The mean over items is estimated. Its interval treats
items as the random units, because trials of the same item are not independent.

A plan needs the variance for other numbers of trials. For this, the items' chances are assumed to have a beta
distribution with the estimated mean and variance.
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
    """Return the unbiased estimate for each item of the chance that k trials all pass (pass^k).

    Args:
        passed: the number of each item's trials that pass: [items].
        trials: the number of each item's trials, at least k: [items].
        k: the number of trials.

    Returns:
        C(passed, k) / C(trials, k): [items].
    """
    pairs = zip(passed.tolist(), trials.tolist(), strict=True)
    return np.array([math.comb(c, k) / math.comb(n, k) for c, n in pairs], float)


class Chances(NamedTuple):
    """The distribution of the items' chances to pass, by its mean and variance."""

    mean: float
    between: float
    """The variance of the items' chances, without the variance that trials add; 0 if trials explain all differences"""
    within: float
    """The variance p (1 - p) of one trial of an item, averaged over items; NaN where no item has two trials"""

    @classmethod
    def of(cls, passed: Integers, trials: Integers) -> Chances:
        """Return the estimated mean and variances, from `passed` and `trials` as `all_of` takes them."""
        shares = passed / trials
        several = trials > 1
        if not several.any() or len(shares) < 2:
            return cls(float(shares.mean()), math.nan, math.nan)
        c, n = passed[several], trials[several]
        within = float((c * (n - c) / (n * (n - 1.0))).mean())
        between = float(shares.var(ddof=1)) - within * float((1 / trials).mean())
        return cls(float(shares.mean()), max(0.0, between), within)

    def variance(self, trials: int, k: int) -> float:
        """Return the variance of an item's estimate of pass^k with some number of trials; NaN if unknown.

        Two sets of k of the n trials have j trials in common with the probability C(k, j) C(n - k, k - j) / C(n, k).
        All of their 2 k - j trials pass with the probability E[p^(2 k - j)].
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
    """Return the inference of the mean pass^k over items. `clusters` has the number of each item's cluster."""
    chances = Chances.of(passed, trials)
    counts = np.unique(trials, return_counts=True)
    variance = sum(
        count * chances.variance(n, k) for n, count in zip(*(column.tolist() for column in counts), strict=True)
    )
    return chance_of(all_of(passed, trials, k), 0.0 if math.isnan(variance) else variance / len(trials), clusters)


def one_passes(passed: Integers, trials: Integers, k: int, clusters: Integers | None = None) -> Measured:
    """Return pass@k with its interval, from the chance that all of k trials fail."""
    none = all_pass(trials - passed, trials, k, clusters).measured()
    return Measured(1 - none.value, 1 - none.high, 1 - none.low)


class Design(NamedTuple):
    """A number of items and of trials, with its cost and the length of the interval."""

    items: int
    trials: int
    """The number of trials of each item"""
    cost: float
    half: float
    """Half of the length of the interval of pass^k"""


def designs(chances: Chances, k: int, items: int, trials: int, costs: tuple[float, float]) -> Iterator[Design]:
    """Yield the present design, and three designs at twice its cost: with more items, with more trials, and the best.

    Args:
        chances: the distribution of the items' chances.
        k: the k of pass^k.
        items: the present number of items.
        trials: the present number of trials of each item.
        costs: the cost of an item without its trials, and the cost of a trial.

    Returns:
        Four designs. The last three cost twice as much as the first, or a little less because numbers are whole.
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
