"""How sure the effective number of ratings is: how many ratings would say as much without the scores.

It is n over 1 - R^2, where R^2 is the share of the variance of the mean rating that the scores take away. Its interval
is that of R on Fisher's scale, as of a correlation: z = artanh R, whose variance comes from the influence of rows
(clusters) on the logarithm of the two variances' quotient, and is at least 1 / (n - 3) (Fisher 1921). Where ratings and
scores were never seen to disagree, they may: as many disagreements as have a chance of 1 in 40 not to be seen (the rule
of three) are added at the lower end. Scores are measured whether they are used or not, because those that seem useless
may help, and the other way round.

What this assumes: rows or clusters are drawn independently, and few clusters are misjudged as wholes. Where one in ten
clusters of ten ratings is, the interval holds in .84 of draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nlgauge.maths.intervals import student_quantile
from nlgauge.maths.prediction_powered import Design, Float, Integers, powered, totals

_MOST = 1 - 1e-12


class Gain(NamedTuple):
    """What scores save of the variance of one mean rating."""

    alone: Float
    """The influence of each row on the mean of the ratings [rows]"""
    helped: Float
    """The same on the mean by the scores [rows]"""
    unseen: float
    """The variance of one disagreement of people and scores, of a cluster in a part of its ratings; NaN where all are
    alike"""

    @classmethod
    def of(cls, ratings: Float, scores: Float, design: Design, least: float = -math.inf) -> Gain:
        """Return the gain by scores of rows; the arguments are those of `nlgauge.maths.prediction_powered.powered`."""
        values = ratings[design.rated]
        counts = np.unique(values, return_counts=True)[1]
        n = len(values)
        pairs = n * n - float(counts @ counts)
        apart = 2 * float(values.var()) * n * n / pairs if pairs else math.nan  # the mean square of two that differ
        alone, helped = (powered(ratings, x, design, least).influence for x in (np.zeros(len(ratings)), scores))
        return cls(alone, helped, apart / (n * design.units))

    def placed(self, places: Integers, rows: int) -> Gain:
        """Return the same gain, with its influence at some places among the rows of a whole table."""
        alone, helped = np.zeros(rows), np.zeros(rows)
        alone[places], helped[places] = self.alone, self.helped
        return Gain(alone, helped, self.unseen)


def effective_ratings(
    gains: Sequence[Gain], rated: np.ndarray, rows: int, clusters: Integers | None, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the effective number of ratings of one mean, or of the first less the second of two.

    Args:
        gains: one for each mean.
        rated: whether each row is a rated row of one of the means [rows of the whole table].
        rows: how many rows the means are of: the effective number is not larger.
        clusters: the cluster of each row [rows of the whole table].
        level: the confidence.

    Returns:
        The two ends; NaN where all rows are rated, so that scores can save nothing, where all ratings are alike, and
        with fewer than 4 ratings or clusters with ratings.
    """
    n = int(rated.sum())
    units = n if clusters is None else len(np.unique(clusters[rated]))
    alone, helped = (
        totals(np.asarray(parts[0] if len(parts) == 1 else parts[0] - parts[1]), clusters)
        for parts in ([gain.alone for gain in gains], [gain.helped for gain in gains])
    )
    of_alone, of_helped = float(alone @ alone), float(helped @ helped)
    unseen = math.log(2 / (1 - level)) * sum(gain.unseen for gain in gains)
    if n >= rows or units < 4 or not of_alone or math.isnan(unseen):
        return math.nan, math.nan
    r = math.sqrt(min(_MOST, max(0.0, 1 - of_helped / of_alone)))
    influence = alone**2 / of_alone - helped**2 / of_helped if of_helped else np.zeros(1)
    error = math.sqrt(max(1 / (units - 3), float(influence @ influence) / (4 * r * r) if r > 1e-6 else 0.0))
    half = student_quantile((1 + level) / 2, units - 2) * error
    low, high = (n * math.cosh(max(0.0, math.atanh(r) + side * half)) ** 2 for side in (-1, 1))
    return max(1.0, min(low, n * of_alone / (of_helped + unseen))), min(float(rows), high)
