"""Measures of scores against ratings of good and bad: shares, AUROC and calibration error, with intervals.

The AUROC is the share of pairs of a good and a bad row in which the good row has the higher score; ties count half. Its
error is estimated by a jackknife over clusters, as in DeLong, DeLong and Clarke-Pearson (1988) and, for clusters, in
Obuchowski (1997). This estimate may be too near 0. So the error is taken to be at least as large as that of scores
without any meaning (Mann and Whitney 1947). To compute the latter, let m be the number of good or of bad rows,
whichever is smaller: it is the error of a share among `NOISE` times m rows.

The calibration error (ECE, Naeini, Cooper and Hauskrecht 2015) is over five groups of rows by score; rows with equal
scores are in one group. All intervals allow for rows in clusters.
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
    """Return the share of hits among rows, with the interval of `nlgauge.maths.inference`.

    Args:
        hits: which rows are hits, or shares of hits from 0 to 1: [rows].
        clusters: the number of each row's cluster: [rows].
        level: the confidence of the interval.

    Returns:
        The share with its interval.
    """
    return mean_of(np.asarray(hits, float), (0.0, 1.0), clusters, ends=True).measured(level)


def chosen_share(hits: Mask, fitted: Mask, clusters: Integers, level: float = 0.95) -> Measured:
    """Return the share of rows on one side of a threshold that was chosen on the same rows.

    The share is cross-fitted: each row is decided by a threshold that was chosen on other rows. The interval is that of
    Dvoretzky, Kiefer, Wolfowitz and Massart (1990) around the share by the threshold itself. It is valid for all
    thresholds at once, and so also for one that was chosen on these rows. The usual interval of a share would not be
    valid.

    Args:
        hits: which rows are on that side of the threshold itself: [rows].
        fitted: which rows are on that side of the threshold that was chosen on other rows: [rows].
        clusters: the number of each row's cluster: [rows].
        level: the confidence of the interval.

    Returns:
        The share with its interval. The share is NaN without rows, and the interval is NaN if several rows are all in
        one cluster.
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
    """Return how many rows of one kind make the interval of their share of hits plus or minus a margin.

    Args:
        hits: which of the present rows are hits: [rows].
        clusters: the number of each row's cluster: [rows]. Further rows are assumed to be clustered in the same way.
        margin: half of the interval's length, from 0 to 1/2.
        any_threshold: whether the interval has to be valid for a threshold that is chosen on these rows
            (`chosen_share`).
        level: the confidence of the interval.

    Returns:
        The number of rows, including the present ones. The share is estimated with two more hits and two more misses
        (Agresti and Coull 1998), because a share of 1 among ten rows need not be 1 among hundreds. NaN without rows, or
        if several rows are all in one cluster.
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
"""The variance of yes and no at a share of 1/2, which is 1/4, over the variance of a number anywhere from 0 to 1, which
is 1/12. With scores without meaning, the share of the other kind's rows below a row is such a number"""


def auroc(scores: Float, bad: Mask, clusters: Integers, level: float = 0.95) -> Measured:
    """Return the AUROC of scores, with its interval.

    The interval is Wilson's, as if the AUROC were a share of independent rows. The number of these rows is the one with
    which a share has the error of the AUROC, and at most `NOISE` times the number of rows (or clusters) of the rarer
    kind, good or bad. The rarer kind also limits the degrees of freedom. Where the AUROC is 0 or 1, the interval is the
    exact one of a share of as many rows as the rarer kind has.

    Args:
        scores: larger ones are better: [rows].
        bad: which rows are bad: [rows].
        clusters: the number of each row's cluster: [rows].
        level: the confidence of the interval.

    Returns:
        The AUROC with its interval. The AUROC is NaN if all rows are of one kind, and the interval is NaN if all rows
        of a kind are in one cluster.
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
    """Return the AUROC of all rows, the AUROCs without each cluster, and the numbers of rows in each cluster.

    Args:
        scores: larger ones are better: [rows]. A row without a score (NaN) ties with every other row, and so counts as
            a row about which nothing is known.
        bad: which rows are bad: [rows].
        clusters: the number of each row's cluster: [rows].

    Returns:
        The AUROC; the AUROC without each cluster: [clusters], NaN for a cluster with all rows of a kind; the number of
        bad rows and the number of good rows in each cluster: [clusters]. None if all rows are of one kind.
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
    """Return for each score how many of the others are below it. Ties and missing scores count half."""
    ordered = np.sort(others[~np.isnan(others)])
    above = (np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")) / 2
    return np.asarray(np.where(np.isnan(scores), len(ordered) / 2, above) + (len(others) - len(ordered)) / 2)


_DRAWS = 2000


def calibration_error(
    probabilities: Float, good: Mask, clusters: Integers, bins: Sequence[Integers], level: float = 0.95, seed: int = 0
) -> Measured:
    """Return the mean difference between probability and share of good rows, over bins of rows, with its interval.

    The difference in each bin has an error. So the weighted sum over bins is off by at most the sum of the sizes of
    these errors. The interval extends to both sides by a quantile of this sum. To compute the quantile, the errors are
    simulated: the part that each cluster has in an error is multiplied with a random normal number. The interval covers
    the true value at least as often as its confidence says, also where the true value is 0 and the estimate is too
    large. The error of a bin is at least that of a share with two more rows of each kind, because all rows of a bin may
    be good.

    Args:
        probabilities: the probability that each row is good: [rows].
        good: which rows are good: [rows].
        clusters: the number of each row's cluster: [rows].
        bins: the row numbers of each bin.
        level: the confidence of the interval.
        seed: the seed of the random numbers.

    Returns:
        The calibration error with its interval; NaN if the bins have no rows.
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
