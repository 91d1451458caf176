"""The interim analysis of paired values, for the runs of a gate and for the anchors of a judge."""

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
    """Return the interim analysis of paired differences, valid for shifts of all items and for rare differences.

    `interim_analysis` is made for a shift of all differences. If most differences are 0, its interval is too short. The
    interval of `nlgauge.maths.inference`, at the level that this analysis may use, is then longer. So the union of both
    intervals and the larger p are returned, which agree with each other.

    Args:
        now: the present values, all finite: [items].
        before: the values of the earlier run, all finite: [items].
        clusters: the number of each item's cluster: [items]; None without clusters.
        limits: the least and the greatest possible value.
        number: the number of this analysis within its series, from 1.
        level: the error probability of the whole series.

    Returns:
        The mean difference, its interval and its p. The ends of the interval are NaN if there are too few items for any
        bound.
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
