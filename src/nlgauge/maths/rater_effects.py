"""Intervals that include the spread of raters, where raters rated different rows.

A strict rater lowers the ratings of all rows that he or she rated. If every rater rated every row, this is the same for
all rows, and the mean is that of these raters. If the rows were divided among raters, the mean depends on who rated
what, and the interval should be right for other raters of their kind:

- If `FEW` or more raters rated rows of a mean, the raters are clusters: the error comes from the summed influence of
  the rows of each, and the degrees of freedom from the number of raters. Such intervals are right for any spread.
- Two or three raters are too few to estimate the spread. The variance between them is the part of the differences of
  their means that their rows do not explain (method of moments). It is averaged with the variance of one more rater,
  who is assumed to be `ASSUMED` of the scale away from the mean. The result is added to the variance of the rows, with
  the degrees of freedom of Satterthwaite (1946).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from nlgauge.maths.inference import Inference, Student
from nlgauge.maths.intervals import effective_groups
from nlgauge.maths.prediction_powered import Float
from nlgauge.maths.rated_means import RatedMean

FEW = 4
"""The least number of raters from whose ratings alone the spread of raters is estimated"""
ASSUMED = 0.1
"""The distance from the mean of the rater who is assumed beside two or three raters, as a share of the scale"""


@dataclass(frozen=True, eq=False, kw_only=True)
class RaterSpread:
    """The raters of one question, and how far their ratings lie apart."""

    ratings: Float
    """The ratings of each rater: [raters, rows], with NaN where a rater did not rate a row"""
    length: float
    """The length of the scale: its greatest rating less its least"""

    @cached_property
    def parts(self) -> Float:
        """The share of each rater in each row's rating: [raters, rows]; 0 in rows that all raters or none rated."""
        has_rating = ~np.isnan(self.ratings)
        raters = has_rating.sum(0)
        return np.asarray(np.where(has_rating & (raters < len(has_rating)), 1 / np.maximum(raters, 1), 0.0))

    @cached_property
    def means(self) -> Float:
        """The mean rating of each rater: [raters]."""
        return np.asarray(np.nanmean(self.ratings, axis=1))

    @cached_property
    def between(self) -> float:
        """The variance between raters, from the differences of their means; 0 if their rows explain the differences."""
        has_rating = ~np.isnan(self.ratings)
        counts = has_rating.sum(1)
        off = np.where(has_rating, self.ratings - self.means[:, None], 0.0)
        total, weights = 0.0, 0.0
        for first, second in combinations(np.flatnonzero(counts > 1), 2):
            n, m = int(counts[first]), int(counts[second])
            both = int((has_rating[first] & has_rating[second]).sum())
            noise = float(off[first] @ off[first]) / (n * (n - 1)) + float(off[second] @ off[second]) / (m * (m - 1))
            if both > 1:
                noise -= 2 * float(off[first] @ off[second]) / (both - 1) * both / (n * m)
            total += n * m * ((self.means[first] - self.means[second]) ** 2 - noise) / 2
            weights += n * m
        return max(0.0, total / weights) if weights else 0.0

    def said(self, wider: float) -> str:
        """Return a note which says that the spread of raters makes intervals up to `wider` times as long."""
        ends = f"{self.means.min():.3g} to {self.means.max():.3g}"
        told = f"{len(self.ratings)} raters with mean ratings from {ends} rated different rows"
        told = f"{told}, and their spread makes the intervals up to {wider:.3g} times as long"
        if len(self.ratings) >= FEW:
            return told
        assumed = f"one more is assumed who is {ASSUMED:g} of the scale away from their mean"
        return f"{told}; so few hardly say how far raters spread: {assumed} (let all rate the same rows, or ask more)"

    def widened(self, said: Inference, means: Sequence[RatedMean], shares: Float) -> Inference:
        """Return an inference that includes the spread of raters. Its interval is at least as long.

        Args:
            said: the inference of a mean or a difference, for these raters alone.
            means: the mean, or the two means for the first less the second.
            shares: the share of each row in the mean: [rows]; negative for the rows of the second mean.

        Returns:
            The inference with the same value and with one more law for each of its laws.
        """
        of_raters, sizes = self.parts @ shares, (self.parts > 0) @ (shares != 0).astype(float)
        raters, influence = len(self.ratings), means[0].influence
        if len(means) > 1:
            influence = influence - means[1].influence
        if int((sizes > 0).sum()) < FEW:
            assumed = (ASSUMED * self.length) ** 2
            variance = (assumed + (raters - 1) * self.between) / raters * float(of_raters @ of_raters)
            more = [(law.centre, law.error**2, law.freedom, variance, float(raters)) for law in said.laws]
        else:
            sums, effective = self.parts @ influence, effective_groups(sizes)
            variance = float(sums @ sums) * effective / (effective - 1)
            alone = influence[self.parts.sum(0) == 0]
            rest = float(alone @ alone) + sum(float(mean.added @ mean.added) for mean in means)
            more = [(law.centre, rest, law.freedom, variance, max(1.0, effective - 1)) for law in said.laws]
        laws = [
            Student(centre, math.sqrt(rows + between), _freedom(rows, freedom, between, of_raters))
            for centre, rows, freedom, between, of_raters in more
            if between > 0
        ]
        return replace(said, laws=(*said.laws, *laws))


def _freedom(first: float, its: float, second: float, others: float) -> float:
    """Return the degrees of freedom of the sum of two variances (Satterthwaite 1946).

    Args:
        first: the first variance.
        its: the degrees of freedom of the first.
        second: the second variance.
        others: the degrees of freedom of the second.
    """
    return (first + second) ** 2 / (first**2 / its + second**2 / others)
