"""The interim analysis of paired values: of a gate's runs, and of a judge's anchors."""

from __future__ import annotations

import math

import numpy as np

from nlgauge.maths.inference import mean_of
from nlgauge.maths.intervals import InterimResult, interim_analysis, spent
from nlgauge.stats.arrays import Float, Integers, together


def interim_of(
    now: Float,
    before: Float,
    clusters: Integers | None,
    limits: tuple[float, float],
    number: int,
    level: float,
) -> InterimResult:
    """Return the interim analysis of differences, which holds both for shifts and for rare differences.

    `interim_analysis` is about a shift of all differences; where most of them are 0, its interval is too short, and
    that of `nlgauge.maths.inference`, at the level that this analysis may spend, is longer. The interval is the union
    of the two, and p the larger one, so that they agree.

    Args:
        now: the values, all finite: [items].
        before: those of the earlier run: [items].
        clusters: the number of the cluster of each item: [items]; None where each item is by itself.
        limits: between which a single value lies.
        number: which analysis of the series this is, from 1.
        level: the error probability of the whole series.

    Returns:
        The mean difference, its interval and its p; the ends are NaN where so few items bound nothing.
    """
    differences = now - before
    sums, sizes = differences, np.ones(len(differences))
    if clusters is not None:
        sums, sizes = together(sums, clusters), together(sizes, clusters)
    shifted = interim_analysis(sums.tolist(), sizes.tolist(), number, level)
    magnitude = float(max(np.abs(now).max(), np.abs(before).max()))
    said = mean_of(differences, (limits[0] - limits[1], limits[1] - limits[0]), clusters, magnitude=magnitude)
    if not said.laws or not math.isfinite(shifted.low):
        return InterimResult(shifted.difference, math.nan, math.nan, shifted.p)
    low, high = said.interval(1 - spent(level, number))
    p = min(1.0, said.p() * level / spent(level, number))
    most = limits[1] - limits[0]
    return InterimResult(
        shifted.difference, max(-most, min(low, shifted.low)), min(most, max(high, shifted.high)), max(p, shifted.p)
    )
