"""Which ratings cannot give a valid interval, why, and what to do."""

from __future__ import annotations

import numpy as np

from nlgauge.maths.intervals import effective_groups
from nlgauge.maths.prediction_powered import Design, selection_p
from nlgauge.meta.arrays import Float

LEAST = 20
"""Rated rows, and clusters that hold them, under which no interval is given"""
LEAST_EFFECTIVE = 5
"""Clusters of equal size that say as much as those with ratings, under which no interval is given"""
LEAST_TOGETHER = 30
"""The same where several metrics are fitted to the ratings"""
CHOSEN = 0.001
"""p under which rated rows count as chosen by their score"""


def refusal(
    y: Float, scores: Float | None, design: Design, at_random: bool, bounds: tuple[float, float] | None = None
) -> str | None:
    """Return why no interval would be valid, and what to do. bounds: the ends of the scale of y, where it is known."""
    n, units = int(design.rated.sum()), design.units
    rate = "rate more, drawn by nlgauge sample"
    if n < LEAST:
        return f"{n} rows are rated, and at least {LEAST} are needed: {rate}"
    if units < LEAST:
        return f"the ratings are of {units} clusters, and at least {LEAST} are needed: {rate}, of other clusters"
    if scores is not None and scores.shape[1] > 1 and units < LEAST_TOGETHER:
        what = "rows are rated" if design.clusters is None else "clusters hold ratings"
        fewest = f"and at least {LEAST_TOGETHER} are needed where several metrics are fitted to ratings"
        return f"{units} {what}, {fewest}: take one metric, or {rate}{', of other clusters' * (units < n)}"
    if scores is None:
        return "a metric has no score on any row: name others"
    if not np.isfinite(y[design.rated]).all():
        return "a rating is infinite, and so would the mean be: leave it out"
    if bounds is None and np.ptp(y[design.rated]) == 0:
        return (
            f"all {n} ratings are {y[design.rated][0]:g}, which does not say how often others occur: say from where to "
            f"where the ratings go, with scale, as in --scale 1 5, or {rate}"
        )
    sizes = np.ones(n) if design.clusters is None else np.bincount(design.clusters, design.rated).astype(float)
    if (effective := effective_groups(sizes)) < LEAST_EFFECTIVE:
        return (
            f"the ratings are of {units} clusters that say as much as {effective:.1f} of equal size, and at least "
            f"{LEAST_EFFECTIVE} are needed: {rate}, of other clusters"
        )
    if design.probabilities is None:
        of_rated, of_all = np.bincount(design.strata, design.rated), np.bincount(design.strata)
        if (of_rated[of_all > 0] < 2).any():
            return f"a stratum has fewer than 2 rated rows: {rate}"
    if at_random and chosen_by_score(scores, design):
        problem = "the rated rows' scores are not like those of the others, so they were not drawn at random"
        return f"{problem}: give the key of nlgauge sample, or the column probability with which each row was drawn"
    return None


def chosen_by_score(scores: Float, design: Design) -> bool:
    """Whether the scores [rows, metrics] of the rated rows are unlike those of the others, by any metric."""
    return any(selection_p(x, design.rated, design.clusters) < CHOSEN for x in scores.T)
