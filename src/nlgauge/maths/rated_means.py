"""Intervals of mean ratings, and of the difference of two: from prediction-powered means to the ends that are printed.

A share has the score interval with its effective number of ratings (`nlgauge.maths.intervals.share_interval`), other
means have `nlgauge.maths.prediction_powered.interval`. No end leaves a known scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths import prediction_powered as ppi
from nlgauge.maths.intervals import effective_groups, effective_items, share_interval
from nlgauge.maths.prediction_powered import Design, Float, Integers, Powered

Scale: TypeAlias = "tuple[float, float]"
"""The least and the greatest rating that there can be"""


class RatedMean(NamedTuple):
    """A mean rating with all that its interval needs: by a metric, or by the ratings alone."""

    mean: float
    moved: Float
    """The influence of each row on the mean [rows]"""
    cautious: Float
    """The same divided by 1 - leverage [rows]"""
    items: float
    """Independent ratings that would be as certain: the effective number"""
    weight: float = 0.0
    """That of the scores"""

    def placed(self, places: Integers, rows: int) -> RatedMean:
        """Return the same mean, with its influence at some places among the rows of a whole table."""
        moved, cautious = np.zeros(rows), np.zeros(rows)
        moved[places], cautious[places] = self.moved, self.cautious
        return self._replace(moved=moved, cautious=cautious)


def rated_means(
    ratings: Float, scores: Float, design: Design, scale: Scale | None, least: float = -math.inf
) -> tuple[RatedMean, RatedMean]:
    """Return the mean rating by the scores, and that of the ratings alone.

    Scores that do not make the mean more certain get the weight 0. This compares the standard errors, and does not look
    at the two means, so that it favours no number.

    Args:
        ratings, scores: of each row [rows]; ratings are read where `design` says that a row is rated.
        design: how the rated rows were drawn.
        scale: that of the ratings, where it is known.
        least: the lower limit of the scores' weight, as `nlgauge.maths.prediction_powered.powered` takes it.
    """
    alone = ppi.powered(ratings, np.zeros(len(ratings)), design)
    helped = ppi.powered(ratings, scores, design, least)
    errors = [ppi.standard_error(ppi.totals(one.cautious, design.clusters)) for one in (alone, helped)]
    items = _items(alone, design, errors[0], scale or (0.0, 1.0))
    bare = RatedMean(alone.estimate, alone.influence, alone.cautious, items)
    if not errors[1] < errors[0]:
        return bare, bare
    more = min(float(len(ratings)), items * (errors[0] / errors[1]) ** 2 if errors[1] else math.inf)
    return RatedMean(helped.estimate, helped.influence, helped.cautious, more, helped.weight), bare


def _items(alone: Powered, design: Design, error: float, scale: Scale) -> float:
    """Return how many independent ratings are as certain as these: all, if rows were drawn one by one at random."""
    n = int(design.rated.sum())
    if design.clusters is None and design.probabilities is None and not design.strata.any():
        return float(n)
    if not error:
        return effective_groups(ppi.totals(design.weights, design.clusters))
    length = scale[1] - scale[0]
    return effective_items((alone.estimate - scale[0]) / length, error / length, n)


@dataclass(frozen=True, eq=False)
class MeanInterval:
    """The interval of one mean, or of the first less the second of two."""

    means: Sequence[RatedMean]
    """They are means of the same rows"""
    sizes: Float
    """The number of ratings of each cluster with ratings; 1 for each rating where there are no clusters"""
    fitted: int
    """Means that were estimated: one for each stratum of each system"""
    clusters: Integers | None
    """The cluster of each row [rows]"""
    clustered: bool
    """Whether the ratings of one system are in clusters"""
    scale: Scale | None
    shares: bool
    """Whether the ratings are all 0 or 1"""

    @property
    def mean(self) -> float:
        """The mean, or the difference."""
        return self._within(self._joined([one.mean for one in self.means]))

    @cached_property
    def moved(self) -> Float:
        """The influence of each row [rows]."""
        return np.asarray(self._joined([one.moved for one in self.means]))

    @cached_property
    def _totals(self) -> tuple[Float, Float]:
        cautious = np.asarray(self._joined([one.cautious for one in self.means]))
        return ppi.totals(self.moved, self.clusters), ppi.totals(cautious, self.clusters)

    @cached_property
    def _each(self) -> list[Float]:
        return [ppi.totals(one.cautious, self.clusters) for one in self.means]

    @property
    def _most(self) -> float:
        return effective_groups(self.sizes) - 1

    def _joined(self, of: Sequence[float | Float]) -> float:
        return of[0] if len(of) == 1 else of[0] - of[1]  # type: ignore[return-value]

    def ends(self, confidence: float) -> tuple[float, float]:
        """Return the ends: a score interval of shares and of equal ratings on a scale, else Student's or normal."""
        if self.shares or (self.scale and not all(one.any() for one in self._each)):
            bounds = [self._of_scale(number, confidence) for number in range(len(self.means))]
            return bounds[0] if len(bounds) == 1 else self._difference(bounds)
        low, high = ppi.interval(
            self.mean, *self._totals, len(self.sizes), len(self.sizes) - self.fitted, confidence,
            difference=len(self.means) > 1, most=self._most,
        )  # fmt: skip
        return self._within(low), self._within(high)

    def _of_scale(self, number: int, confidence: float, factor: float = 1.0) -> tuple[float, float]:
        """Return the score interval of one mean, as a share of its scale; of equal ratings in its midst the widest."""
        low, high = self.scale or (0.0, 1.0)
        share = min(max((self.means[number].mean - low) / (high - low), 0.0), 1.0)
        freedom = self._most if self.clustered and self._each[number].any() else math.inf
        ends = share_interval(share, self.means[number].items * factor, confidence, freedom)
        return low + (high - low) * ends[0], low + (high - low) * ends[1]

    def _difference(self, bounds: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return the interval of a difference from those of both means (MOVER; Zou and Donner 2008).

        The distance of each end is that of the two ends which make it, with the correlation of the means.
        """
        (a, b), ((low_a, high_a), (low_b, high_b)) = (one.mean for one in self.means), bounds
        lengths = [math.sqrt(float(one @ one)) for one in self._each]
        r = float(self._each[0] @ self._each[1]) / (lengths[0] * lengths[1]) if all(lengths) else 0.0

        def distance(x: float, y: float) -> float:
            x, y = max(0.0, x), max(0.0, y)
            return math.sqrt(max(0.0, x * x - 2 * r * x * y + y * y))

        low, high = self.mean - distance(a - low_a, high_b - b), self.mean + distance(high_a - a, b - low_b)
        return self._within(low), self._within(high)

    def _within(self, number: float) -> float:
        """Return a number moved onto the scale, and a difference onto the differences that the scale has."""
        if self.scale is None:
            return number
        low, high = self.scale
        if len(self.means) > 1:
            low, high = low - high, high - low
        return min(max(low, number), high)

    def more(self, confidence: float, margin: float, rated: NDArray[np.bool_], n: int, rows: int) -> float:
        """Return how many further ratings make the interval plus or minus a margin; infinite if more rows are needed.

        The variance of the rated rows falls as 1 / ratings, and that of the scores of the other rows stays.

        Args:
            rated: whether each row is rated [rows].
            n, rows: the number of ratings, and the most that there can be.
        """
        of_rated, of_rest = (float((self.moved[which] ** 2).sum()) for which in (rated, ~rated))
        low, high = self.ends(confidence)

        def half(ratings: int) -> float:
            left = (of_rated * n / ratings + of_rest) / (of_rated + of_rest) if of_rated else n / ratings
            if self.shares and len(self.means) == 1:
                ends = self._of_scale(0, confidence, 1 / left)
                return (ends[1] - ends[0]) / 2
            return (high - low) / 2 * math.sqrt(left)

        if half(n) <= margin:
            return 0
        if half(rows) > margin:
            return math.inf
        least, most = n, rows
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (least, middle) if half(middle) <= margin else (middle, most)
        return most - n
