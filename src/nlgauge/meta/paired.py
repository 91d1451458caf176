"""Two systems on the same items: how large their difference is, and whether it is noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from nlgauge.data.table.intervals import together
from nlgauge.maths.few_items import expanded
from nlgauge.maths.student import student_quantile, student_tail
from nlgauge.meta.arrays import Float, Integers
from nlgauge.meta.permutation import p_value
from nlgauge.meta.resampling import batches, interval


class Paired(NamedTuple):
    """A mean difference over n items: its interval, its p-value, its size, and how many items would tell."""

    n: int
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    effect: float = math.nan
    """Cohen's d of paired values: the mean difference in standard deviations of the differences"""
    error: float = math.nan
    """The standard error of the difference, robust to clusters"""
    groups: int = 0
    """What is drawn and exchanged: clusters, or items where there are none"""

    def needed(self, confidence: float, power: float, margin: float | None = None) -> float:
        """Items, in clusters as large as these, at which a difference of this size is found with the wanted power.

        n ((z_{(1 + confidence) / 2} + z_power) error / difference)^2, by normal approximation: a few items too few
        where it is small, and infinite where there is no difference. With a margin, the items at which two systems that
        are equal are shown to be no worse than each other by the margin: the margin for the difference, z_confidence.
        """
        sides, size = (2, self.difference) if margin is None else (1, margin)
        z = NormalDist().inv_cdf(1 - (1 - confidence) / sides) + NormalDist().inv_cdf(power)
        if math.isnan(self.error) or (not self.error and not size):
            return math.nan
        return max(2.0, float(math.ceil(self.n * (z * self.error / size) ** 2))) if size else math.inf

    def detectable(self, confidence: float, power: float, items: int | None = None) -> float:
        """The smallest true difference that so many items, by default these, find with the wanted power.

        (t_{(1 + confidence) / 2} + t_power) error sqrt(n / items), t with clusters - 1 degrees of freedom (Bloom,
        *Minimum Detectable Effects*, Evaluation Review 1995). NaN where there is no error to reckon with.
        """
        items = self.n if items is None else items
        groups = max(2, round(self.groups * items / max(1, self.n)))
        if math.isnan(self.error):
            return math.nan
        t = student_quantile((1 + confidence) / 2, groups - 1) + student_quantile(power, groups - 1)
        return t * self.error * math.sqrt(self.n / items)

    def above(self, bound: float) -> float:
        """p that the true difference is not above a bound: Student's t of the robust error, one-sided."""
        gap = self.difference - bound
        if math.isnan(self.error) or math.isnan(gap):
            return math.nan
        t = gap / self.error if self.error else math.copysign(math.inf, gap) if gap else 0.0
        return student_tail(t, self.groups - 1)


def paired(
    differences: Float, clusters: Integers | None = None, *, confidence: float = 0.95, replicates: int = 1000,
    seed: int = 0,
) -> Paired:  # fmt: skip
    """What the differences [n] of two systems on the same items tell; NaN are left out.

    clusters [n]: the number of each item's cluster; clusters are drawn and exchanged as wholes. Interval: percentile
    bootstrap of the mean, at the level of `nlgauge.maths.few_items.expanded`. p, two-sided: approximate randomisation,
    the systems exchanged at random within items or clusters (Noreen 1989). error: of G clusters with sums S and sizes
    m, sqrt(G / (G - 1) sum (S - m mean)^2) / n; without clusters the deviation over sqrt(n).
    """
    known = ~np.isnan(differences)
    values = differences[known]
    n = len(values)
    sums, sizes = values, np.ones(n)
    if clusters is not None:
        sums, sizes = together(values, clusters[known]), together(sizes, clusters[known])
    groups = len(sums)
    if groups < 2 or not np.isfinite(values).all():
        with np.errstate(invalid="ignore"):
            return Paired(n, float(values.mean()), groups=groups) if n else Paired(0)
    mean, scale = float(values.mean()), float(np.abs(values).mean())
    generator = np.random.default_rng([seed, groups])
    means, null = [np.empty(0)], [np.empty(0)]
    for count in batches(replicates, groups):
        drawn = generator.integers(0, groups, (count, groups))
        means.append(sums[drawn].sum(1) / sizes[drawn].sum(1))
        null.append((generator.choice([-1.0, 1.0], (count, groups)) * sums).sum(1) / n)
    low, high = interval(np.concatenate(means), expanded(confidence, groups))
    # In units of the values, because p_value forgives rounding on a scale of 1. A model's score of a text differs in
    # its sixth digit from batch to batch: an item that is alike in both systems must not decide who is further.
    p = p_value(mean / (scale or 1), np.concatenate(null) / (scale or 1), rounding=1e-5)
    error = math.sqrt(groups / (groups - 1) * float(((sums - sizes * mean) ** 2).sum())) / n
    spread = float(values.std(ddof=1))
    if not scale:
        return Paired(n, mean, low, high, p, error=error, groups=groups)
    effect = mean / spread if spread > 1e-12 * scale else math.copysign(math.inf, mean)
    return Paired(n, mean, low, high, p, effect, error if error > 1e-12 * scale else 0.0, groups)


def paired_totals(
    one: Float, other: Float, value: Callable[[Float], Float], clusters: Integers | None = None, *,
    confidence: float = 0.95, replicates: int = 1000, seed: int = 0,
) -> Paired:  # fmt: skip
    """`paired`, of a value that is no mean but is computed from counts summed over the items, a corpus BLEU for one.

    one, other [items, counts]; value [..., counts] -> [...]. Items, or clusters, are drawn again, or exchanged, with
    their counts. The error is the deviation of the resamples, the effect the difference in errors of one item.
    """
    n, totals = len(one), (one.sum(0), other.sum(0))
    first, second = (float(value(counts)) for counts in totals)
    difference = first - second if n else math.nan
    if clusters is not None:
        one, other = together(one, clusters), together(other, clusters)
    groups = len(one)
    if groups < 2 or not math.isfinite(difference):
        return Paired(n, difference, groups=groups)
    generator = np.random.default_rng([seed, groups, 3])
    again, null = [np.empty(0)], [np.empty(0)]
    for count in batches(replicates, groups):
        times = generator.multinomial(groups, np.full(groups, 1 / groups), count).astype(float)
        again.append(value(times @ one) - value(times @ other))
        moved = generator.integers(0, 2, (count, groups)).astype(float) @ (other - one)
        null.append(value(totals[0] + moved) - value(totals[1] - moved))
    drawn_again = np.concatenate(again)
    low, high = interval(drawn_again, expanded(confidence, groups))
    # In units of the values, because p_value forgives rounding on a scale of 1.
    scale = max(abs(first), abs(second)) or 1.0
    p = p_value(difference / scale, np.concatenate(null) / scale)
    known = drawn_again[~np.isnan(drawn_again)]
    error = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    if not difference or math.isnan(error):
        return Paired(n, difference, low, high, p, error=error, groups=groups)
    effect = math.copysign(math.inf, difference)
    if error > 1e-12 * scale:
        effect = difference / (error * math.sqrt(n))
    return Paired(n, difference, low, high, p, effect, error, groups)
