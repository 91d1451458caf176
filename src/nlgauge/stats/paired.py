"""Two systems on the same items: how large their difference is, and whether it is noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from nlgauge.data.table.intervals import together
from nlgauge.maths.intervals import (
    FEW,
    FEWEST,
    Spread,
    expanded,
    jackknife,
    mean_spread,
    student_interval,
    student_quantile,
    student_tail,
)
from nlgauge.stats.arrays import Float, Integers
from nlgauge.stats.resampling import batches, interval, p_value


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
    """The standard error of the difference, by the jackknife over clusters or items"""
    groups: int = 0
    """How many clusters there are, or items where there are no clusters"""
    effective: float = math.nan
    """How many groups of equal size say as much; below 2 nothing can be tested"""

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

        (t_{(1 + confidence) / 2} + t_power) error sqrt(n / items), t with the degrees of freedom of so many items
        (Bloom, *Minimum Detectable Effects*, Evaluation Review 1995). NaN where there is no error to compute with.
        """
        items = self.n if items is None else items
        if math.isnan(self.error):
            return math.nan
        freedom = max(FEWEST, self.effective * items / max(1, self.n)) - 1
        t = student_quantile((1 + confidence) / 2, freedom) + student_quantile(power, freedom)
        return t * self.error * math.sqrt(self.n / items)

    def above(self, bound: float) -> float:
        """p that the true difference is not above a bound: Student's t of the robust error, one-sided."""
        gap = self.difference - bound
        if math.isnan(self.error) or math.isnan(gap) or not self.effective >= FEWEST:
            return math.nan
        t = gap / self.error if self.error else math.copysign(math.inf, gap) if gap else 0.0
        return student_tail(t, self.effective - 1)


_ENUMERATED = 12
"""Up to this number of groups all exchanges are made, 2^12 at most, and p is exact"""


def _signs(groups: int) -> Float:
    """Return all ways to exchange two systems within few groups, as signs [2^groups, groups]."""
    return np.asarray(1.0 - 2.0 * (np.arange(2**groups)[:, None] >> np.arange(groups) & 1))


def _chance(found: Paired, null: Float, scale: float, rounding: float) -> float:
    """Return the two-sided p of a difference among those of exchanges; all exchanges of few groups include it.

    The differences are taken in units of the values, because `rounding` is on a scale of 1.
    """
    if found.groups > _ENUMERATED:
        return p_value(found.difference / scale, null / scale, rounding=rounding)
    return float((np.abs(null) / scale >= abs(found.difference) / scale - rounding).mean())


def paired(
    differences: Float, clusters: Integers | None = None, *, confidence: float = 0.95, replicates: int = 1000,
    seed: int = 0,
) -> Paired:  # fmt: skip
    """Return the mean of the differences of two systems on the same items, with its interval and its test.

    The error is the jackknife's (`nlgauge.maths.intervals.jackknife`). Interval: for clusters and for fewer than `FEW`
    items, Student's t with the effective number of groups less 1; else the percentile bootstrap of the mean, at the
    level of `nlgauge.maths.intervals.expanded`. p, two-sided: the systems are exchanged within items or clusters, in
    all ways up to 12 groups and at random above (Noreen 1989). The hypothesis is that exchanging the systems changes
    nothing, so where the differences are very skewed, it is not about the mean alone.

    Args:
        differences: one for each item [n]; NaN are left out.
        clusters: the number of each item's cluster [n]; clusters are exchanged as wholes.
        confidence: of the interval.
        replicates: resamples and exchanges; with 0, interval and p are those of Student's t.
        seed: of the draws.
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
    found = _tested(Paired(n, mean, groups=groups), mean_spread(sums, sizes), scale, confidence)
    if replicates and found.effective >= FEWEST:
        generator = np.random.default_rng([seed, groups])
        means, null = [np.empty(0)], [np.empty(0)]
        for count in batches(replicates, groups):
            means.append(sums[generator.integers(0, groups, (count, groups))].sum(1) / groups)
            null.append((generator.choice([-1.0, 1.0], (count, groups)) * sums).sum(1) / n)
        if groups <= _ENUMERATED:
            null = [_signs(groups) @ sums / n]
        # A model's score of a text differs in its sixth digit from batch to batch: an item that is alike in both
        # systems must not decide which difference is larger.
        found = found._replace(p=_chance(found, np.concatenate(null), scale or 1.0, rounding=1e-5))
        if clusters is None and groups >= FEW:
            low, high = interval(np.concatenate(means), expanded(confidence, groups))
            found = found._replace(low=low, high=high)
    if not scale:
        return found
    spread = float(values.std(ddof=1))
    return found._replace(effect=mean / spread if spread > 1e-12 * scale else math.copysign(math.inf, mean))


def _tested(found: Paired, spread: Spread, scale: float, confidence: float) -> Paired:
    """Return a difference with its error and with Student's interval and p; without them if groups are too unequal.

    scale: that of the values, beside which a smaller error is what rounding leaves.
    """
    if not spread.effective >= FEWEST:
        return found._replace(effective=spread.effective)
    spread = spread._replace(error=spread.error if spread.error > 1e-12 * scale else 0.0)
    low, high = student_interval(found.difference, spread, confidence)
    found = found._replace(low=low, high=high, error=spread.error, effective=spread.effective)
    return found._replace(
        p=min(1.0, 2 * min(found.above(0.0), found._replace(difference=-found.difference).above(0.0)))
    )


def paired_totals(
    one: Float, other: Float, value: Callable[[Float], Float], clusters: Integers | None = None, *,
    confidence: float = 0.95, replicates: int = 1000, seed: int = 0,
) -> Paired:  # fmt: skip
    """Return what `paired` does, for a value that is no mean but is computed from summed counts, such as a corpus BLEU.

    The effect is the difference in errors of one item. The error is the deviation of the resamples; for clusters and
    for fewer than `FEW` items the jackknife's.

    Args:
        one, other: the counts of each item by the two systems [items, counts].
        value: the value of counts, [..., counts] -> [...].
        clusters: the number of each item's cluster [items].
        confidence, replicates, seed: as in `paired`.
    """
    n, totals = len(one), (one.sum(0), other.sum(0))
    first, second = (float(value(counts)) for counts in totals)
    difference, sizes = first - second if n else math.nan, np.ones(n)
    resampled = clusters is None and n >= FEW and replicates > 0
    if clusters is not None:
        one, other, sizes = (together(counts, clusters) for counts in (one, other, sizes))
    groups = len(one)
    if groups < 2 or not math.isfinite(difference):
        return Paired(n, difference, groups=groups)
    scale = max(abs(first), abs(second)) or 1.0
    without = value(totals[0] - one) - value(totals[1] - other)
    found = _tested(Paired(n, difference, groups=groups), jackknife(difference, without, sizes), scale, confidence)
    if replicates and found.effective >= FEWEST:
        generator = np.random.default_rng([seed, groups, 3])
        again, null = [np.empty(0)], [np.empty(0)]
        for count in batches(replicates, groups):
            times = generator.multinomial(groups, np.full(groups, 1 / groups), count).astype(float)
            again.append(value(times @ one) - value(times @ other))
            moved = generator.integers(0, 2, (count, groups)).astype(float) @ (other - one)
            null.append(value(totals[0] + moved) - value(totals[1] - moved))
        if groups <= _ENUMERATED:
            moved = (1 - _signs(groups)) / 2 @ (other - one)
            null = [value(totals[0] + moved) - value(totals[1] - moved)]
        found = found._replace(p=_chance(found, np.concatenate(null), scale, rounding=1e-12))
        drawn_again = np.concatenate(again)
        known = drawn_again[~np.isnan(drawn_again)]
        if resampled:
            low, high = interval(drawn_again, expanded(confidence, groups))
            error = float(known.std(ddof=1)) if len(known) > 1 else math.nan
            found = found._replace(low=low, high=high, error=error)
    if not difference or math.isnan(found.error):
        return found
    large = found.error > 1e-12 * scale
    return found._replace(
        effect=difference / (found.error * math.sqrt(n)) if large else math.copysign(math.inf, difference)
    )
