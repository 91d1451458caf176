"""Scores beside ratings of yes or no: shares, AUROC and calibration error, with intervals for rows in clusters.

AUROC: the share of pairs of a good and a bad row in which the good one has the higher score, ties counting half. Its
error is the jackknife's over clusters, as of DeLong, DeLong and Clarke-Pearson (1988) and, for clusters, of Obuchowski
(1997). An error near 0 is not certainty, so it is not taken to be below that of scores without meaning: `NOISE` times
the rows of the rarer kind give a share the same error (Mann and Whitney 1947). Calibration error (ECE): Naeini, Cooper
and Hauskrecht (2015), of the fifths of the rows by score, where rows of one score are in one group.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nlgauge.maths.inference import NOTHING, Measured, mean_of
from nlgauge.maths.intervals import effective_groups, effective_items, jackknife, mean_spread, share_interval
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.resampling import batches


def share_of(hits: Float | Mask, clusters: Integers, level: float = 0.95) -> Measured:
    """Return the mean of yes and no, or of means of several, with the interval of `nlgauge.maths.inference`.

    Args:
        hits: yes and no, or means from 0 to 1: [rows].
        clusters: what each row shares with others: [rows].
        level: the confidence.

    Returns:
        The mean with its interval.
    """
    return mean_of(np.asarray(hits, float), (0.0, 1.0), clusters, ends=True).measured(level)


def chosen_share(hits: Mask, fitted: Mask, clusters: Integers, level: float = 0.95) -> Measured:
    """Return the share of rows on one side of a threshold that was chosen on the same rows.

    The share is of decisions by thresholds that were chosen on other rows. The interval is that of Dvoretzky, Kiefer,
    Wolfowitz and Massart (1990) around the share by the threshold itself: it holds for all thresholds at once, and so
    for a threshold that was chosen, for which the interval of a share does not hold.

    Args:
        hits: whether a row is on that side of the threshold itself: [rows].
        fitted: the same by the threshold that was chosen on other rows: [rows].
        clusters: what each row shares with others: [rows].
        level: the confidence.

    Returns:
        The share with its interval; NaN without rows, and no interval where all of several rows are of one cluster.
    """
    n = len(hits)
    if not n:
        return NOTHING
    of_hits, value = float(hits.mean()), float(fitted.mean())
    of = np.unique(clusters, return_inverse=True)[1]
    sums, sizes = np.bincount(of, hits).astype(float), np.bincount(of).astype(float)
    if len(sizes) < 2 <= n:
        return Measured(value)
    items = float(n)
    if len(sizes) < n:
        whole = effective_groups(sizes)
        items = effective_items(of_hits, mean_spread(sums, sizes).error, n) if 0 < of_hits < 1 else whole
    half = math.sqrt(math.log(2 / (1 - level)) / (2 * items))
    return Measured(value, max(0.0, min(value, of_hits - half)), min(1.0, max(value, of_hits + half)))


def rows_needed(
    hits: Mask, clusters: Integers, margin: float, any_threshold: bool = False, level: float = 0.95
) -> float:
    """Return how many rows of a kind make the interval of a share plus or minus a margin.

    Args:
        hits: those of the rows that there are: [rows].
        clusters: what each row shares with others: [rows]. As many further rows will share as much.
        margin: half of the interval's length, from 0 to 1/2.
        any_threshold: whether the interval has to hold for a threshold that these rows choose (`chosen_share`).
        level: the confidence.

    Returns:
        The number of rows, with those that there are. The share is taken with two more rows of each side (Agresti and
        Coull 1998), since a share of 1 among ten rows is not 1 among hundreds. NaN without rows, or where all of
        several rows are of one cluster.
    """
    n = len(hits)
    of = np.unique(clusters, return_inverse=True)[1]
    sums, sizes = np.bincount(of, hits).astype(float), np.bincount(of).astype(float)
    if not n or len(sizes) < 2 <= n:
        return math.nan
    share, each = float(hits.mean()), 1.0
    if len(sizes) < n:
        spread = mean_spread(sums, sizes).error if 0 < share < 1 else 0.0
        each = n / (effective_items(share, spread, n) if spread else effective_groups(sizes))
    if any_threshold:
        return math.ceil(each * math.log(2 / (1 - level)) / (2 * margin**2))
    likely = (float(hits.sum()) + 2) / (n + 4)

    def half(rows: int) -> float:
        low, high = share_interval(likely, rows / each, level)
        return (high - low) / 2

    least, most = 0, 1
    while half(most) > margin:
        least, most = most, 2 * most
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if half(middle) > margin else (least, middle)
    return most


NOISE = 3
"""1/4 over 1/12: the variance of yes and no at a share of 1/2, over that of a number that may be anywhere from 0 to 1:
where scores have no meaning, that is the share of the other kind's rows that a row is above"""


def auroc(scores: Float, bad: Mask, clusters: Integers, level: float = 0.95) -> Measured:
    """Return the AUROC of scores for telling good rows from bad ones.

    The interval is a score interval with the effective number of rows, at most `NOISE` times the rows (clusters) of the
    rarer kind. It has as many degrees of freedom as the rarer kind allows, and it is the exact interval of as many rows
    as the rarer kind has where the AUROC is 0 or 1.

    Args:
        scores: larger ones are better: [rows].
        bad: which rows are bad: [rows].
        clusters: what each row shares with others: [rows].
        level: the confidence.

    Returns:
        The AUROC with its interval. NaN where all rows are of one kind; no interval where all rows of a kind are of one
        cluster.
    """
    areas = auroc_without(scores, bad, clusters)
    if areas is None:
        return NOTHING
    value, without, bads, goods = areas
    if not np.isfinite(without).all():
        return Measured(value)
    error = jackknife(value, without, bads + goods).error
    rarer = min(effective_groups(bads), effective_groups(goods))
    if not 0 < value < 1:
        return Measured(value, *share_interval(value, rarer, level))
    items = min(NOISE * rarer, value * (1 - value) / error**2 if error else math.inf)
    return Measured(value, *share_interval(value, items, level, max(1.0, rarer - 1)))


def auroc_without(scores: Float, bad: Mask, clusters: Integers) -> tuple[float, Float, Float, Float] | None:
    """Return the AUROC, that without each cluster, and how many bad and good rows each cluster has.

    Args:
        scores: larger ones are better: [rows]. A row without a score (NaN) is as good as every other one, so that it
            counts as a row of which nothing is known.
        bad: which rows are bad: [rows].
        clusters: what each row shares with others: [rows].

    Returns:
        The AUROC, and by cluster [clusters] the AUROC without it, its bad rows and its good rows. The AUROC without a
        cluster is NaN for a cluster that has all rows of a kind. None where all rows are of one kind.
    """
    good = ~bad
    if not bad.any() or not good.any():
        return None
    of = np.unique(clusters, return_inverse=True)[1]
    wins = np.empty(len(scores))
    wins[good] = _beaten(scores[good], scores[bad])
    wins[bad] = good.sum() - _beaten(scores[bad], scores[good])
    bads, goods = np.bincount(of, bad).astype(float), np.bincount(of, good).astype(float)
    within = np.zeros(len(bads))
    for group in np.flatnonzero((bads > 0) & (goods > 0)):
        inside = of == group
        within[group] = _beaten(scores[inside & good], scores[inside & bad]).sum()
    total, left = wins[good].sum(), (bad.sum() - bads) * (good.sum() - goods)
    rest = total - np.bincount(of, wins) + within
    return (
        float(total / (good.sum() * bad.sum())),
        np.divide(rest, left, out=np.full(len(left), np.nan), where=left > 0),
        bads,
        goods,
    )


def _beaten(scores: Float, others: Float) -> Float:
    """Return how many of the others each score is above, a tie counting half, as no score does."""
    ordered = np.sort(others[~np.isnan(others)])
    above = (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")) / 2
    return np.asarray(np.where(np.isnan(scores), len(ordered) / 2, above) + (len(others) - len(ordered)) / 2)


_DRAWS = 2000


def calibration_error(
    probabilities: Float, good: Mask, clusters: Integers, bins: Sequence[Integers], level: float = 0.95, seed: int = 0
) -> Measured:
    """Return the mean distance of the probability from the share of good rows, over bins of rows, with its interval.

    The distance of a bin is known up to the error of this bin, so that the sum cannot be farther from the true sum than
    the sum of these errors. The interval is plus or minus the quantile of that sum, where whole clusters get a random
    sign. It covers the true value at least as often as it says, also where that is 0 and the estimate is too large. The
    error of a bin is not below that of a share with two more rows of each kind, as all rows of a bin may be good.

    Args:
        probabilities: that each row is good: [rows].
        good: which rows are good: [rows].
        clusters: what each row shares with others: [rows].
        bins: the numbers of the rows of each bin.
        level: the confidence.
        seed: of the random signs.

    Returns:
        The calibration error with its interval; NaN where the bins have no rows.
    """
    n = sum(map(len, bins))
    if not n:
        return NOTHING
    of = np.unique(clusters, return_inverse=True)[1]
    weights, away, errors, influence = [], [], [], []
    for rows in bins:
        if not len(rows):
            continue
        residuals = good[rows] - probabilities[rows]
        mean, size = float(residuals.mean()), len(rows)
        centred = np.bincount(of[rows], residuals - mean, minlength=int(of.max()) + 1)
        groups = np.unique(of[rows], return_inverse=True)[1]
        sizes = np.bincount(groups).astype(float)
        spread = mean_spread(np.bincount(groups, residuals).astype(float), sizes).error if len(sizes) > 1 else 0.0
        share = (float(good[rows].sum()) + 2) / (size + 4)
        weights.append(size / n)
        away.append(mean)
        errors.append(max(spread, math.sqrt(share * (1 - share) / effective_groups(sizes))))
        length = float(np.linalg.norm(centred))
        influence.append(centred / length if length else np.zeros(len(centred)))
    value = float(np.dot(weights, np.abs(away)))
    rng, drawn = np.random.default_rng([seed, n]), []
    units, still = np.array(influence).T, ~np.any(influence, axis=1)
    for count in batches(_DRAWS, len(units)):
        signs = rng.normal(size=(count, len(units))) @ units
        signs[:, still] = rng.normal(size=(count, int(still.sum())))
        drawn.append(np.abs(signs) @ (np.array(weights) * errors))
    most = float(np.quantile(np.concatenate(drawn), level))
    return Measured(value, max(0.0, value - most), min(1.0, value + most))
