"""Two systems on the same items: how large their difference is, and whether it is noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from nlgauge.meta.arrays import Float
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
    needed: float = math.nan
    """Items at which a difference of this size is found with the wanted power"""


def paired(
    differences: Float, *, confidence: float = 0.95, replicates: int = 1000, seed: int = 0, power: float = 0.8
) -> Paired:
    """What the differences [n] of two systems on the same items tell; NaN are left out.

    Interval: percentile bootstrap of the mean. p, two-sided: approximate randomisation, the systems exchanged at random
    within items (Noreen 1989). needed: by normal approximation n = ((z_{(1 + confidence) / 2} + z_power) / effect)^2,
    which is a few items too few where it is small; infinite where there is no difference of the means.
    """
    values = differences[~np.isnan(differences)]
    n = len(values)
    if n < 2 or not np.isfinite(values).all():
        with np.errstate(invalid="ignore"):
            return Paired(n, float(values.mean())) if n else Paired(0)
    mean, spread, scale = float(values.mean()), float(values.std(ddof=1)), float(np.abs(values).mean())
    generator = np.random.default_rng([seed, n])
    means, null = [np.empty(0)], [np.empty(0)]
    for count in batches(replicates, n):
        means.append(values[generator.integers(0, n, (count, n))].mean(1))
        null.append((generator.choice([-1.0, 1.0], (count, n)) * values).mean(1))
    low, high = interval(np.concatenate(means), confidence)
    # In units of the values, because p_value forgives rounding on a scale of 1.
    p = p_value(mean / (scale or 1), np.concatenate(null) / (scale or 1))
    if not scale:
        return Paired(n, mean, low, high, p)
    effect = mean / spread if spread > 1e-12 * scale else math.copysign(math.inf, mean)
    return Paired(n, mean, low, high, p, effect, _needed(effect, confidence, power))


def paired_totals(
    one: Float,
    other: Float,
    value: Callable[[Float], Float],
    *,
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    power: float = 0.8,
) -> Paired:
    """`paired`, of a value that is no mean but is computed from counts summed over the items, a corpus BLEU for one.

    one, other [items, counts]; value [..., counts] -> [...]. Items are drawn again, or exchanged, with their counts.
    The effect is the difference in standard deviations of one item: that of the resamples times sqrt(n).
    """
    n, totals = len(one), (one.sum(0), other.sum(0))
    first, second = (float(value(counts)) for counts in totals)
    difference = first - second if n else math.nan
    if n < 2 or not math.isfinite(difference):
        return Paired(n, difference)
    generator = np.random.default_rng([seed, n, 3])
    again, null = [np.empty(0)], [np.empty(0)]
    for count in batches(replicates, n):
        times = generator.multinomial(n, np.full(n, 1 / n), count).astype(float)
        again.append(value(times @ one) - value(times @ other))
        moved = generator.integers(0, 2, (count, n)).astype(float) @ (other - one)
        null.append(value(totals[0] + moved) - value(totals[1] - moved))
    drawn_again = np.concatenate(again)
    low, high = interval(drawn_again, confidence)
    # In units of the values, because p_value forgives rounding on a scale of 1.
    scale = max(abs(first), abs(second)) or 1.0
    p = p_value(difference / scale, np.concatenate(null) / scale)
    known = drawn_again[~np.isnan(drawn_again)]
    spread = float(known.std(ddof=1)) * math.sqrt(n) if len(known) > 1 else math.nan
    if not difference or math.isnan(spread):
        return Paired(n, difference, low, high, p)
    effect = difference / spread if spread > 1e-12 * scale else math.copysign(math.inf, difference)
    return Paired(n, difference, low, high, p, effect, _needed(effect, confidence, power))


def _needed(effect: float, confidence: float, power: float) -> float:
    z = NormalDist().inv_cdf((1 + confidence) / 2) + NormalDist().inv_cdf(power)
    return max(2.0, float(math.ceil((z / effect) ** 2))) if effect else math.inf
