"""Student's t, standard errors for clusters of unequal size, intervals of shares, exact tests, and interim analyses.

The tests that a risk is below a limit, with few rows, are those of Angelopoulos, Bates, Candès, Jordan and Lei, "Learn
then test", 2021 (arXiv 2110.01052), sections 2.2 (binomial p-values) and 3.2 (fixed sequences).

The interim analyses have a confidence sequence for paired differences. These are intervals that hold at all analyses at
once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import takewhile
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NORMAL = 1e8
"""The number of degrees of freedom from which on Student's t equals the normal distribution, to eight digits"""


def student_tail(t: float, df: float) -> float:
    """Return P(T > t) for Student's t with df degrees of freedom: I_x(df / 2, 1 / 2) / 2 with x = df / (df + t^2)."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    if df > NORMAL:
        return math.erfc(t / math.sqrt(2)) / 2
    half = incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2
    return half if t >= 0 else 1 - half


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the incomplete beta function I_x(a, b), by Lentz's method (DLMF 8.17.22).

    Args:
        a: above 0.
        b: above 0.
        x: from 0 to 1.
        rest: 1 - x, given separately for precision.

    Returns:
        I_x(a, b), from 0 to 1.
    """
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x * (b + 1) > rest * (a + 1):  # x > (a + 1) / (a + b + 2), in a form of which one side alone holds
        return 1 - incomplete_beta(b, a, rest, x)
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    fraction = d
    for m in range(1, 1000):
        at = a + 2 * m
        even = m * (b - m) * x / ((at - 1) * at)
        c, d = (1 + even / c) or tiny, 1 / ((1 + even * d) or tiny)
        fraction *= c * d
        odd = -(a + m) * (a + b + m) * x / (at * (at + 1))
        c, d = (1 + odd / c) or tiny, 1 / ((1 + odd * d) or tiny)
        step = c * d
        fraction *= step
        if -1e-16 < step - 1 < 1e-16:
            break
    log_front = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(log_front) * fraction / a


@cache
def student_quantile(p: float, df: float) -> float:
    """Return the quantile p of Student's t with df degrees of freedom, for 0 < p < 1 and df >= 1."""
    if p < 0.5:
        return -student_quantile(1 - p, df)
    # A bisection, which nothing can lead astray. Far from Newton's root it need not compute on which side it is.
    near = _newton(p, df)
    exact = (1 + near) * 1e-13 * (10 + df)

    def too_small(t: float) -> bool:
        return student_tail(t, df) > 1 - p if abs(t - near) <= exact else t < near

    low, high = 0.0, 1.0
    while too_small(high):
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return (low + high) / 2


def _newton(p: float, df: float) -> float:
    """Return an approximate quantile p of Student's t, for p from 0.5 on, by Newton's method.

    The method begins at the normal quantile, which is not above this quantile.
    """
    t = NormalDist().inv_cdf(p)
    if df > NORMAL:
        return t
    front = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(200):
        step = (student_tail(t, df) - (1 - p)) * math.exp((df + 1) / 2 * math.log1p(t * t / df) - front)
        t += step
        if abs(step) <= 1e-7 * t:
            break
    return t


def binomial_p(wrong: int, n: int, risk: float) -> float:
    """Return P(X <= wrong) for X ~ Binomial(n, risk), the p of the hypothesis that the true risk is at least `risk`."""
    if wrong >= n:
        return 1.0
    return incomplete_beta(n - wrong, wrong + 1.0, 1 - risk, risk)


def binomials_p(count: int, groups: Iterable[tuple[int, float]]) -> float:
    """Return P(X >= count), where X is the number of events in groups whose items have different probabilities.

    Args:
        count: the number of events.
        groups: the size of each group, and the probability of an event for each of its items. All are independent.

    Returns:
        The probability.
    """
    groups = [(n, share) for n, share in groups if n]
    if count <= 0 or count > sum(n for n, _ in groups):
        return 1.0 if count <= 0 else 0.0
    if len(groups) == 1:
        ((n, share),) = groups
        return binomial_p(n - count, n, 1 - share)
    chances = np.ones(1)
    for n, share in groups:
        chances = _sum_of(chances, _binomial(n, share))
    return float(min(1.0, chances[count:].sum()))


_FEW = 1 << 24
"""The most products for which a convolution is computed directly, and not by Fourier transform"""


def _sum_of(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of the sum of two independent counts: [n] and [m] -> [n + m - 1]."""
    if len(first) * len(second) <= _FEW:
        return np.asarray(np.convolve(first, second))
    size = len(first) + len(second) - 1
    chances: NDArray[np.float64] = np.fft.irfft(np.fft.rfft(first, size) * np.fft.rfft(second, size), size)
    return np.asarray(np.maximum(chances, 0.0))


def _binomial(n: int, share: float) -> NDArray[np.float64]:
    """Return the probability of each count from 0 to n, of a binomial distribution: [n + 1]."""
    if share in (0.0, 1.0):
        chances = np.zeros(n + 1)
        chances[n if share else 0] = 1.0
        return chances
    counts = np.arange(1, n + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - counts + 1) / counts * share / (1 - share)))])
    return np.exp(logs + n * math.log1p(-share))


def hypergeometric_p(count: int, n: int, others: int, m: int) -> float:
    """Return the one-sided p of Fisher's exact test that an event is no more frequent in the first of two groups.

    It is P(X >= count), where X is the number of events in the first group if all events fall on items at random.

    Args:
        count: the number of events in the first group.
        n: the number of items in the first group.
        others: the number of events in the second group.
        m: the number of items in the second group.

    Returns:
        The probability.
    """
    kind, whole = count + others, n + m

    def log_choose(of: int, chosen: int) -> float:
        return math.lgamma(of + 1) - math.lgamma(chosen + 1) - math.lgamma(of - chosen + 1)

    most, every = min(n, kind), log_choose(whole, kind)
    chances = (
        math.exp(log_choose(n, x) + log_choose(m, kind - x) - every) for x in range(max(count, kind - m), most + 1)
    )
    return min(1.0, math.fsum(chances))


def certified(p_values: Iterable[float], start: int, error: float) -> list[int]:
    """Return the hypotheses that fixed-sequence testing rejects. All rejections are right with probability 1 - error.

    The order of the hypotheses must not depend on the ratings. From `start` on, each hypothesis is tested at the full
    level `error`, until one is not rejected.

    Args:
        p_values: the p of each hypothesis, in order, from `start` on. No more are read than are needed.
        start: the index of the first hypothesis that is tested.
        error: the greatest probability that any rejection is wrong.

    Returns:
        The indexes of the rejected hypotheses.
    """
    rejected = sum(1 for _ in takewhile(lambda p: p <= error, p_values))
    return list(range(start, start + rejected))


def proportion(count: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of the proportion of `count` among n items (Clopper and Pearson 1934)."""
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _solved(lambda p: 1 - binomial_p(count - 1, n, p) < tail)
    high = 1.0 if count == n else _solved(lambda p: binomial_p(count, n, p) >= tail)
    return low, high


def _solved(below: object) -> float:
    """Return the number in [0, 1] below which a condition holds, and above which it does not, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)  # type: ignore[operator]
    return (low + high) / 2


class Spread(NamedTuple):
    """The uncertainty of a statistic of independent groups (items, or clusters of items)."""

    error: float
    """The standard error of the statistic"""
    effective: float
    """The effective number of groups: the number of groups of equal size that would give the same precision"""

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the error.

        This is Satterthwaite's approximation (1946) for the sum of the groups' squares, where a group varies in
        proportion to its size: (sum m)^2 / (sum m^2), less 1 for the mean. With equal groups it is groups - 1.
        """
        return self.effective - 1


def effective_groups(sizes: NDArray[np.float64]) -> float:
    """Return the effective number of groups, (sum of sizes)^2 / (sum of squared sizes) (Kish 1965); sizes [groups]."""
    return float(sizes.sum() ** 2 / (sizes @ sizes)) if sizes.any() else 0.0


def unequal(clusters: int, effective: float) -> str:
    """Return a note if the effective number of clusters is clearly below their number; else an empty text."""
    return f"{clusters} clusters say as much as {effective:.1f} of equal size" if effective < 0.9 * clusters else ""


def jackknife(value: float, without: NDArray[np.float64], sizes: NDArray[np.float64]) -> Spread:
    """Return the standard error by the delete-one-group jackknife, and the effective number of groups.

    For a mean, it is the error CR3 of Bell and McCaffrey (Survey Methodology 2002), which is right for few groups and
    for groups of unequal size. For independent rows, it is the standard deviation over the square root of n.

    Args:
        value: the statistic of all groups.
        without: the statistic without each group [groups], at least 2.
        sizes: the number of items in each group [groups].

    Returns:
        The error, in the unit of the statistic, and the effective number.
    """
    groups = len(without)
    return Spread(math.sqrt((groups - 1) / groups * float(((without - value) ** 2).sum())), effective_groups(sizes))


def mean_spread(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> Spread:
    """Return the uncertainty of a mean, from the sum and the number of the values of each group: [groups] both."""
    total, items = float(sums.sum()), float(sizes.sum())
    return jackknife(total / items, (total - sums) / (items - sizes), sizes)


@cache
def expanded(level: float, n: int) -> float:
    """Return the level at which the percentile bootstrap interval of a mean has the wanted coverage.

    With few items the percentile bootstrap is too narrow for two reasons: it divides by n and not by n - 1, and it
    ignores the uncertainty of the variance. So each tail is made as small as the tail of the standard normal beyond
    sqrt(n / (n - 1)) t_{(1 + level) / 2, n - 1}, with Student's t (Hesterberg, *What Teachers Should Know About the
    Bootstrap*, The American Statistician 2015: the expanded percentile interval).

    Args:
        level: the wanted coverage, such as 0.95.
        n: the number of items or clusters of the mean.

    Returns:
        The level for the bootstrap, at least `level`.
    """
    if n < 2:
        return level
    t = student_quantile((1 + level) / 2, n - 1)
    return 2 * NormalDist().cdf(math.sqrt(n / (n - 1)) * t) - 1


def share_interval(share: float, n: float, level: float, freedom: float = math.inf) -> tuple[float, float]:
    """Return the score interval of a share (Wilson 1927), or for 0 and 1 the exact interval (Clopper and Pearson 1934).

    Args:
        share: the estimated share, from 0 to 1.
        n: the number of independent items, or the effective number share (1 - share) / variance; it may be a fraction.
        level: the confidence level.
        freedom: the degrees of freedom of the variance that the effective number was computed from; infinite for items.

    Returns:
        The two ends of the interval, from 0 to 1.
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
    """Return the number of independent items whose share would have the standard error `error`, at most `items`."""
    variance = share * (1 - share)
    return min(float(items), variance / error**2) if error and variance else float(items)


_NORMAL = NormalDist()
_SIGNS = 1 / (4 * _NORMAL.cdf(-math.sqrt(2)))
"""The greatest factor by which the tail of a weighted sum of random signs exceeds the normal tail: 3.178..."""


class InterimResult(NamedTuple):
    """The result of one of many interim analyses."""

    difference: float
    low: float
    """The lower end of the interval; -inf if there are too few differences for a bound at this analysis"""
    high: float
    """The upper end; +inf if there are too few differences"""
    p: float
    """The two-sided p of the hypothesis that nothing changed. Among series without a change, the share with p below the
    level at any of their analyses is at most the level"""


def spent(level: float, number: int) -> float:
    """Return the part of the level that the interim analysis `number` may use; the parts of all sum to the level."""
    return level / (number * (number + 1))


def interim_analysis(sums: Sequence[float], sizes: Sequence[float], number: int, level: float = 0.05) -> InterimResult:
    """Return the mean difference at an interim analysis, with an interval that is valid at all analyses at once.

    If nothing changed between two runs, their values are exchangeable, so the sums are symmetric about 0. Given their
    absolute values, their signs are random, and for every x, P(sum >= x sqrt(sum of squares)) <= c P(N >= x) with c = 1
    / (4 P(N >= sqrt 2)) (Bentkus and Dzindzalieta, *A tight Gaussian bound for weighted sums of Rademacher random
    variables*, Bernoulli 2015). This bound is valid for few differences of any range, and needs no variance. The levels
    of all analyses sum to `level`. So by the union bound the share of series with an error is at most `level`, even if
    the analyses share data, such as one baseline (Robbins, *Statistical Methods Related to the Law of the Iterated
    Logarithm*, 1970, calls such intervals a confidence sequence). The interval has the shifts that the test does not
    reject. A shift is a number about which the differences are symmetric.

    Args:
        sums: the sum of the differences of each item or cluster of items: [groups].
        sizes: the number of differences of each item or cluster: [groups].
        number: the number of this analysis in the series, from 1.
        level: the error probability of the whole series: all of its intervals hold with probability 1 - `level`.

    Returns:
        The mean difference, its interval and its p.

    Raises:
        ValueError: there are no sums, or not as many sizes as sums.
    """
    if len(sums) != len(sizes) or not len(sums):
        raise ValueError("there must be a size for each sum, and at least one")
    total, count = math.fsum(sums), math.fsum(sizes)
    squares = math.fsum(group * group for group in sums)
    products = math.fsum(group * size for group, size in zip(sums, sizes, strict=True))
    widths = math.fsum(size * size for size in sizes)
    z = -_NORMAL.inv_cdf(min(0.5, spent(level, number) / 2 / _SIGNS))
    seen = abs(total) / math.sqrt(squares) if squares else 0.0
    p = min(1.0, 2 * _SIGNS * _NORMAL.cdf(-seen) * number * (number + 1))
    # Shifts t with (total - count t)^2 <= z^2 sum (sum - size t)^2.
    a, b, c = count * count - z * z * widths, total * count - z * z * products, total * total - z * z * squares
    if a <= 0:
        return InterimResult(total / count, -math.inf, math.inf, p)
    half = math.sqrt(max(0.0, b * b - a * c)) / a
    return InterimResult(total / count, b / a - half, b / a + half, p)


def least_groups(number: int, level: float = 0.05) -> int:
    """Return the least number of items or clusters with which the interim analysis `number` can find any change."""
    return math.floor(_NORMAL.inv_cdf(spent(level, number) / 2 / _SIGNS) ** 2) + 1
