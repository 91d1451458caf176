"""Prediction-powered inference: a mean rating from all scores and a few ratings, for samples and clusters.

- The method: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, "Prediction-powered inference", Science 2023 (arXiv
  2301.09633).
- For simple random samples without clusters, estimate, weight and standard error are those of Angelopoulos, Duchi and
  Zrnic, "PPI++", 2023 (arXiv 2311.01453), up to rounding.
- Strata, and rows with different probabilities: Zrnic and Candès, "Active statistical inference", 2024 (arXiv
  2403.03208), with the ratio form of survey statistics (Hájek).
- Clusters: the influences of their rows are summed, as in Miller, "Adding error bars to evals", 2024 (arXiv
  2411.00640).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.intervals import student_tail

Float = NDArray[np.float64]
Integers = NDArray[np.intp]

_MOST_LEVERAGE = 0.9


@dataclass(frozen=True, eq=False)
class Design:
    """The design of a sample: which rows are rated, and how they were drawn."""

    rated: NDArray[np.bool_]
    """Whether each row is rated: [rows]"""
    strata: Integers
    """The number of each row's stratum: [rows]; all 0 without strata. Rows were drawn at random within each stratum"""
    probabilities: Float | None = None
    """The probability with which each rated row was drawn: [rows]; None if it was the same within a stratum"""
    clusters: Integers | None = None
    """The cluster of each row, from 0: [rows]; None if rows are independent"""

    @cached_property
    def weights(self) -> Float:
        """The number of rows that each rated row stands for: [rows], 0 for others. They add up to all rows."""
        rows = len(self.rated)
        if self.probabilities is not None:
            weights = np.zeros(rows)
            weights[self.rated] = 1 / self.probabilities[self.rated]
            return np.asarray(weights * (rows / weights.sum()))
        of_all, of_rated = np.bincount(self.strata), np.bincount(self.strata, self.rated)
        return np.asarray(np.where(self.rated, (of_all / np.maximum(of_rated, 1))[self.strata], 0.0))

    @cached_property
    def units(self) -> int:
        """The number of clusters with rated rows, or without clusters the number of rated rows."""
        return int(self.rated.sum() if self.clusters is None else (np.bincount(self.clusters, self.rated) > 0).sum())


class Powered(NamedTuple):
    """A mean, and the influence of each row on it."""

    estimate: float
    influence: Float
    """[rows]: the influence of each row. Their sum is the error of the estimate, to first order"""
    weight: float
    """The weight of the scores; with 0, only the ratings count"""


def powered(ratings: Float, scores: Float, design: Design, least: float = -math.inf) -> Powered:
    """Return the mean rating of the population of rows, from the ratings of some rows and the scores of all.

    The estimate is weight * mean of all scores + weighted mean of (rating - weight * score) over rated rows, with the
    weight that minimises the variance. Unlike in ppi-python, it is not limited to [0, 1], because a metric and a rating
    have different units. Constant scores get the weight 0.

    Args:
        ratings: the rating of each row: [rows]. Those of rows that are not rated are ignored.
        scores: the score of each row: [rows].
        design: which rows are rated, and how they were drawn.
        least: a lower limit of the weight. Use 0 for scores fitted to the ratings, because a negative weight would then
            be due to chance.

    Returns:
        The estimate, in the unit of the ratings, the influence of each row on it, and the weight.
    """
    rows, rated = len(scores), design.rated
    weights = design.weights
    rated_only = np.where(rated, ratings, 0.0)
    mean_rating, mean_score = float(weights @ rated_only) / rows, float(weights @ scores) / rows
    overall = float(scores.mean())
    a = _settled((scores - overall) - weights * (scores - mean_score), design)
    b = _settled(weights * (rated_only - mean_rating), design)
    weight = max(least, _weight(scores, design, a, b))
    estimate = mean_rating + weight * (overall - mean_score)
    return Powered(estimate, (weight * a + b) / rows, weight)


def leverage(scores: Float, design: Design, factor: Float) -> Float:
    """Return the leverage of each row or, with clusters, of its cluster on the estimate.

    It is the share of the row or cluster in a mean and, for a rated row, also its part in the weight of the scores. An
    influence divided by 1 - leverage is right also for few ratings and for clusters of different sizes, as in a
    jackknife (HC3 of MacKinnon and White 1985; CR3 for clusters).

    Args:
        scores: the score of each row: [rows].
        design: which rows are rated, and how they were drawn.
        factor: for each stratum, the weight of its rated rows in its mean rating: [strata], from 0 to 1. It is below 1
            if rows were added to the stratum (`nlgauge.maths.rated_means`).

    Returns:
        The leverages: [rows], from 0 to 0.9.
    """
    rated, groups = design.rated, 2 * design.strata + design.rated
    weights = np.where(rated, design.weights, 1.0)
    shares = weights / np.bincount(groups, weights)[groups] * np.where(rated, factor[design.strata], 1.0)
    if design.clusters is not None:
        cells = int(groups.max() + 1) * design.clusters + groups
        shares = np.bincount(cells, shares)[cells]
    square = np.where(rated, (scores - scores[rated].mean()) ** 2, 0.0)
    return np.asarray(np.minimum(shares + square / (float(square.sum()) or 1.0), _MOST_LEVERAGE))


def totals(influence: Float, clusters: Integers | None) -> Float:
    """Return the summed influence of each cluster: [clusters]; without clusters the influence of each row: [rows]."""
    return influence if clusters is None else np.bincount(clusters, influence).astype(float)


def _settled(values: Float, design: Design) -> Float:
    """Return influences [rows] without the part that comes from the number of rated rows of each stratum.

    This number is fixed, so that it causes no variance. If `design` has probabilities, nothing is removed.
    """
    if design.probabilities is not None:
        return values
    if not design.strata.any():
        return values - np.where(design.rated, values[design.rated].mean(), _mean(values[~design.rated]))
    groups = 2 * design.strata + design.rated
    return values - _means(values, groups)[groups] + _means(values, design.strata)[design.strata]


def _mean(values: Float) -> float:
    return float(values.mean()) if len(values) else 0.0


def _means(values: Float, groups: Integers) -> Float:
    return np.asarray(np.bincount(groups, values) / np.maximum(np.bincount(groups), 1))


def _weight(scores: Float, design: Design, a: Float, b: Float) -> float:
    if np.ptp(scores) == 0 or design.rated.all():
        return 0.0
    of_scores, of_ratings = totals(a, design.clusters), totals(b, design.clusters)
    square = float(of_scores @ of_scores)
    return -float(of_scores @ of_ratings) / square if square > 0 else 0.0


def standard_error(influence: Float) -> float:
    """Return the standard error of an estimate, from the influence of independent units [clusters]."""
    return math.sqrt(float(influence @ influence))


def selection_p(values: Float, rated: NDArray[np.bool_], clusters: Integers | None = None) -> float:
    """Return the two-sided p of the hypothesis that values do not depend on whether their rows are rated.

    Rated rows and all others are compared twice by Student's t of clusters. The mean rank differs if low or high values
    were chosen. The mean distance from the middle rank differs if values at both ends were chosen. The smaller p is
    doubled.

    Args:
        values: the value of each row: [rows].
        rated: whether each row is rated, or belongs to any other group: [rows].
        clusters: the number of each row's cluster: [rows]. By default each row is a cluster.

    Returns:
        p; NaN if all rows are rated, or none.
    """
    n, rest, rows = int(rated.sum()), int((~rated).sum()), len(values)
    if not n or not rest:
        return math.nan
    inverse, counts = np.unique(values, return_inverse=True, return_counts=True)[1:]
    ranks = ((np.cumsum(counts) - (counts - 1) / 2) / rows)[inverse] - (rows + 1) / (2 * rows)
    groups = (rated, ~rated)
    units = min(
        int(group.sum()) if clusters is None else int((np.bincount(clusters, group) > 0).sum()) for group in groups
    )
    least_p = 1.0
    for x in (ranks, np.abs(ranks)):
        means = np.where(rated, x[rated].mean(), x[~rated].mean())
        influence = (x - means) * np.where(rated, 1 / n, -1 / rest)
        error = standard_error(totals(influence, clusters))
        if error > 0 and units > 1:
            least_p = min(least_p, 2 * student_tail(abs(x[rated].mean() - x[~rated].mean()) / error, units - 1))
    return min(1.0, 2 * least_p)
