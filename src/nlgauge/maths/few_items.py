"""Confidence intervals from few items: the level of a percentile bootstrap, and intervals of proportions."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

from nlgauge.maths.student import student_quantile


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


def wilson(successes: float, n: int, level: float) -> tuple[float, float]:
    """The score interval of a proportion of `successes` in n (Wilson 1927); not empty if all or none succeed."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


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
