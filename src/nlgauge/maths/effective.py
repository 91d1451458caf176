"""How sure the effective number of ratings is: how many ratings would say as much without the scores.

It is n over 1 - R^2, where R^2 is the share of the variance of the mean rating that the scores take away. Its interval
is that of R on Fisher's scale, as of a correlation: z = artanh R, whose variance comes from the influence of rows
(clusters) on the logarithm of the two variances' quotient, and is at least 1 / (n - 3) (Fisher 1921). Where ratings and
scores were never seen to disagree, they may: as many disagreements as have a chance of 1 in 40 not to be seen (the rule
of three) are added at the lower end.
"""

from __future__ import annotations

import math

import numpy as np

from nlgauge.maths import prediction_powered as ppi
from nlgauge.maths.intervals import student_quantile
from nlgauge.maths.prediction_powered import Design, Float

_MOST = 1 - 1e-12


def effective_ratings(
    ratings: Float, scores: Float, design: Design, least: float = -math.inf, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the effective number of ratings, between 1 and the number of rows.

    NaN where all rows are rated, so that scores can save nothing, and where all ratings are alike.

    Args:
        ratings, scores: of each row [rows]; ratings are read where `design` says that a row is rated.
        design: how the rated rows were drawn.
        least: the lower limit of the scores' weight, as `nlgauge.maths.prediction_powered.powered` takes it.
        level: the confidence.
    """
    rows, n, units = len(ratings), int(design.rated.sum()), design.units
    given = ratings[design.rated]
    alone = ppi.totals(ppi.powered(ratings, np.zeros(rows), design).influence, design.clusters)
    helped = ppi.totals(ppi.powered(ratings, scores, design, least).influence, design.clusters)
    of_alone, of_helped = float(alone @ alone), float(helped @ helped)
    if n == rows or units < 4 or not of_alone or np.ptp(given) == 0:
        return math.nan, math.nan
    r = math.sqrt(min(_MOST, max(0.0, 1 - of_helped / of_alone)))
    influence = alone**2 / of_alone - helped**2 / of_helped if of_helped else np.zeros(1)
    error = math.sqrt(max(1 / (units - 3), float(influence @ influence) / (4 * r * r) if r > 1e-6 else 0.0))
    half = student_quantile((1 + level) / 2, units - 2) * error
    low, high = (n * math.cosh(max(0.0, math.atanh(r) + side * half)) ** 2 for side in (-1, 1))
    unseen = math.log(2 / (1 - level)) * _apart(given) / units**2
    return max(1.0, min(low, n * of_alone / (of_helped + unseen))), min(float(rows), high)


def _apart(ratings: Float) -> float:
    """Return the mean squared difference of two ratings that differ."""
    counts = np.unique(ratings, return_counts=True)[1]
    n = len(ratings)
    return 2 * float(ratings.var()) * n * n / float(n * n - counts @ counts)
