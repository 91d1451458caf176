"""Confidence intervals of means and shares: for few items, for clusters of unequal size, and for shares near 0 or 1."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.student import student_quantile

FEW = 8
"""Below this number of items, the percentiles of a bootstrap cover too seldom, and Student's t takes their place: the
means of resamples cannot leave the range of the values, which with 2, 3 and 5 items is too short"""
FEWEST = 2.0
"""Below this effective number of clusters there is no interval: almost all rows are of one cluster"""


class Spread(NamedTuple):
    """How uncertain a statistic of independent groups (items, or clusters of items) is."""

    error: float
    """The standard error"""
    effective: float
    """The effective number of groups: how many groups of equal size say as much"""

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the error.

        This is Satterthwaite's approximation (1946) for the sum of the groups' squares, where a group varies in
        proportion to its size: (sum m)^2 / (sum m^2), less 1 for the mean. With equal groups it is groups - 1.
        """
        return self.effective - 1


def effective_groups(sizes: NDArray[np.float64]) -> float:
    """Return (sum of sizes)^2 / (sum of squared sizes), the number of groups if all are equally large (Kish 1965)."""
    return float(sizes.sum() ** 2 / (sizes @ sizes)) if sizes.any() else 0.0


def unequal(clusters: int, effective: float) -> str:
    """Return what is said of clusters that say as much as clearly fewer of equal size; "" of others."""
    return f"{clusters} clusters say as much as {effective:.1f} of equal size" if effective < 0.9 * clusters else ""


def jackknife(value: float, without: NDArray[np.float64], sizes: NDArray[np.float64]) -> Spread:
    """Return the standard error by the delete-one-group jackknife, and the effective number of groups.

    For a mean it is the error CR3 of Bell and McCaffrey (Survey Methodology 2002), which holds with few groups and with
    groups of unequal size; for independent rows it is the deviation over the square root of n.

    Args:
        value: the statistic of all groups.
        without: the statistic without each group [groups], at least 2.
        sizes: the number of items in each group [groups].
    """
    groups = len(without)
    return Spread(math.sqrt((groups - 1) / groups * float(((without - value) ** 2).sum())), effective_groups(sizes))


def mean_spread(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> Spread:
    """Return the `Spread` of a mean, from the sum and the number of each group's values, both [groups]."""
    total, items = float(sums.sum()), float(sizes.sum())
    return jackknife(total / items, (total - sums) / (items - sizes), sizes)


def student_interval(value: float, spread: Spread, level: float) -> tuple[float, float]:
    """Return the interval of Student's t around a statistic; NaN for fewer than `FEWEST` effective groups."""
    if not spread.effective >= FEWEST:
        return math.nan, math.nan
    half = student_quantile((1 + level) / 2, spread.freedom) * spread.error
    return value - half, value + half


@cache
def expanded(level: float, n: int) -> float:
    """The level for a percentile bootstrap interval of a mean over n items or clusters, so that it covers `level`.

    With few items the percentile bootstrap is too narrow for two reasons: it divides by n and not by n - 1, and it
    ignores the uncertainty of the variance. Each tail is therefore widened to the one of Student's t: the tail of the
    standard normal beyond sqrt(n / (n - 1)) t_{(1 + level) / 2, n - 1} (Hesterberg, *What Teachers Should Know About
    the Bootstrap*, The American Statistician 2015: the expanded percentile interval).
    """
    if n < 2:
        return level
    t = student_quantile((1 + level) / 2, n - 1)
    return 2 * NormalDist().cdf(math.sqrt(n / (n - 1)) * t) - 1


def share_interval(share: float, n: float, level: float, freedom: float = math.inf) -> tuple[float, float]:
    """Return the score interval of a share (Wilson 1927); of 0 or 1 the exact one (Clopper and Pearson 1934).

    Args:
        share: the estimated share, from 0 to 1.
        n: the number of independent items, or the effective number share (1 - share) / variance; it may be a fraction.
        level: the confidence.
        freedom: the degrees of freedom of the variance that the effective number was computed from.
    """
    if share <= 0 or share >= 1:
        beyond = ((1 - level) / 2) ** (1 / n)
        return (0.0, 1 - beyond) if share <= 0 else (beyond, 1.0)
    tail = (1 + level) / 2
    z = NormalDist().inv_cdf(tail) if math.isinf(freedom) else student_quantile(tail, freedom)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def effective_items(share: float, error: float, items: int) -> float:
    """Return the number of independent items whose share has this standard error, `items` at most."""
    variance = share * (1 - share)
    return min(float(items), variance / error**2) if error and variance else float(items)


def clustered_share(share: float, spread: Spread, items: int, level: float) -> tuple[float, float]:
    """Return the interval of a share of items in clusters: `share_interval` with the effective number of items.

    If all items are alike, their variance says nothing, and the effective number of clusters takes its place.
    """
    if not spread.effective >= FEWEST:
        return math.nan, math.nan
    if share <= 0 or share >= 1:
        return share_interval(share, spread.effective, level)
    return share_interval(share, effective_items(share, spread.error, items), level, spread.freedom)


def paired_shares(up: float, down: float, n: int, level: float) -> tuple[float, float]:
    """The interval of the difference of two proportions on the same n items: `up` favour the first, `down` the second.

    The adjusted Wald interval, with one more item of each kind (Bonett and Price, *Adjusted Wald Confidence Interval
    for a Difference of Binomial Proportions Based on Paired Data*, 2012). It is not empty if the two agree on every
    item.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    first, second = (up + 1) / (n + 2), (down + 1) / (n + 2)
    half = z * math.sqrt((first + second - (first - second) ** 2) / (n + 2))
    return max(-1.0, first - second - half), min(1.0, first - second + half)
