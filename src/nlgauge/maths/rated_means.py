"""Mean ratings, and differences of two mean ratings, from all scores and a few ratings, or from the ratings alone.

The estimate is that of `nlgauge.maths.prediction_powered`: the mean score of all rows, corrected by the mean difference
of ratings and scores on the rated rows. If no disagreement was seen on the rated rows, some may exist all the same. So,
as in `nlgauge.maths.inference`, two rated rows are added: a row with a good score and a low rating, and a row with a
bad score and a high rating. They are always added if the ratings are yes and no. On another scale they are added if at
least half of the ratings are alike, or if at least half of the ratings equal what the scores predict. Interval and test
are Student's t of all these rows.

The two rows are divided among strata by their numbers of rows. So a stratum without a bad row is not taken for certain,
and a stratified sample still has its gain in precision.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.inference import (
    ALIKE,
    UNLIMITED,
    Inference,
    Law,
    Limits,
    Student,
    mean_of,
    tail_freedom,
    two_more,
)
from nlgauge.maths.intervals import effective_groups
from nlgauge.maths.prediction_powered import Design, Float, Integers, leverage, powered, totals

Scale: TypeAlias = Limits
"""The least and the greatest possible rating"""
GAIN = 0.975
"""The scores are used if the interval with them is shorter than this share of the interval from the ratings alone. The
share is below 1 because useless scores seem to help a little in some draws"""
_LEVEL = 0.95
"""The level of the intervals that are compared: the estimate must not depend on the level of the printed interval"""


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedMean:
    """A mean rating, from the scores and ratings or from the ratings alone, with the arrays for its interval."""

    value: float
    centre: float
    """The mean with the two added rows, which is the centre of the interval"""
    influence: Float
    """The influence of each row on the centre: [rows]. For independent rows, the sum of squares is the variance"""
    added: Float
    """The influence of the two added rows on the centre, divided among the strata: [2 * strata], first that of the row
    with the low rating for each stratum, then that of the row with the high rating; empty if none were added"""
    fitted: int
    """The number of strata with rated rows"""
    weight: float = 0.0
    """The weight of the scores; 0 for the ratings alone"""
    plain: Inference | None = None
    """For a mean of the ratings alone in a simple random sample, its interval and tests for independent rows; None
    otherwise
    """

    def placed(self, places: Integers, rows: int) -> RatedMean:
        """Return the mean with its influences at their places in a whole table, and 0 for all other rows.

        Args:
            places: for each row of the mean, its index in the table: [rows of the mean].
            rows: the number of rows of the table.

        Returns:
            The mean, with the influence [rows of the table].
        """
        influence = np.zeros(rows)
        influence[places] = self.influence
        return replace(self, influence=influence)


class RatedMeans(NamedTuple):
    """The mean rating with and without the scores, and the one of the two to use."""

    taken: RatedMean
    """The mean to use: `helped` if the scores make it more certain, else `alone`"""
    alone: RatedMean
    """The mean of the ratings alone"""
    helped: RatedMean
    """The mean from scores and ratings; the object `alone` if the scores are all equal, or all rows are rated"""

    def placed(self, places: Integers, rows: int) -> RatedMeans:
        """Return the means with their influences at their places in a whole table, as `RatedMean.placed` does."""
        alone = self.alone.placed(places, rows)
        helped = alone if self.helped is self.alone else self.helped.placed(places, rows)
        return RatedMeans(helped if self.taken is self.helped else alone, alone, helped)


def rated_means(
    ratings: Float, scores: Float, design: Design, scale: Scale | None, least: float = -math.inf, yes_no: bool = False
) -> RatedMeans:
    """Return the mean ratings with and without the help of the scores, and the one of the two to use.

    Scores that do not make the mean more certain (`helps`) are not used.

    Args:
        ratings: the rating of each row: [rows]. Those of rows that are not rated are ignored.
        scores: the score of each row: [rows].
        design: which rows are rated, and how they were drawn.
        scale: the least and the greatest rating; None if they are not known.
        least: the lower limit of the scores' weight, as in `nlgauge.maths.prediction_powered.powered`.
        yes_no: whether the ratings are yes and no, at the ends of the scale, or means of several people's yes and no.

    Returns:
        The mean to use, and the means with and without the scores.
    """
    alone = _rated_mean(ratings, np.zeros(len(ratings)), design=design, scale=scale, least=least, yes_no=yes_no)
    if design.probabilities is None and not design.strata.any():
        alone = replace(alone, plain=mean_of(ratings[design.rated], scale or UNLIMITED, ends=yes_no))
    if not np.ptp(scores) or design.rated.all():
        return RatedMeans(alone, alone, alone)
    helped = _rated_mean(ratings, scores, design=design, scale=scale, least=least, yes_no=yes_no)
    levels = [None] if design.clusters is None else [design.clusters, None]
    said = [inference([means], levels, design.rated, scale) for means in (alone, helped)]
    return RatedMeans(helped if helps(*said) else alone, alone, helped)


def helps(alone: Inference, helped: Inference) -> bool:
    """Return whether the mean from scores and ratings is more certain than the mean of the ratings alone.

    The lengths of the two intervals are compared, without the limits of the scale. The two means are not used, so that
    neither a high nor a low one is preferred.

    Args:
        alone: the mean of the ratings alone.
        helped: the mean from scores and ratings.

    Returns:
        Whether the interval of `helped` is shorter than `GAIN` times the interval of `alone`.
    """
    ends = [[law.ends(_LEVEL) for law in said.laws] or [(math.nan, math.nan)] for said in (alone, helped)]
    lengths = [max(high for _, high in of) - min(low for low, _ in of) for of in ends]
    return lengths[1] < GAIN * lengths[0]


def inference(
    means: Sequence[RatedMean], levels: Sequence[Integers | None], rated: NDArray[np.bool_], scale: Scale | None
) -> Inference:
    """Return a mean rating, or the difference of two, with its interval and tests.

    Args:
        means: one mean, or two for the first less the second, with influences on the same rows.
        levels: the groups of rows that are not independent: for each level the number of each row's group [rows], or
            None for independent rows. Larger groups come first, such as clusters before items. The interval is the
            union of the intervals of all levels.
        rated: whether each row is rated: [rows].
        scale: the least and the greatest rating; None if they are not known.

    Returns:
        The mean or the difference, with its intervals and tests.
    """
    plain = means[0].plain if len(means) == 1 else None
    if plain is not None and levels[0] is None:
        return plain
    limits = scale or UNLIMITED
    value, centre = means[0].value, means[0].centre
    if len(means) > 1:
        limits = (limits[0] - limits[1], limits[1] - limits[0])
        value, centre = value - means[1].value, centre - means[1].centre
    value = min(max(limits[0], value), limits[1])
    added = sum(len(mean.added) for mean in means)
    # A cluster of ratings whose influences cancel out takes part like every other.
    takes_part = (rated | (_influence(means) != 0)).astype(float)
    sizes = [rated_sizes(level, rated) for level in levels]
    said = Inference(value, int(rated.sum()), len(sizes[0]), effective_groups(sizes[0]), limits=limits)
    laws: list[Law] = [] if plain is None else [*plain.laws]
    for level, of in zip(levels, sizes, strict=True):
        parts = _parts(means, level)
        error = math.sqrt(float(parts @ parts))
        if not error:
            return said
        freedom = effective_groups(of) - sum(mean.fitted for mean in means)
        if added:
            freedom += 2 * len(means)
        if not added or (level is not None and np.ptp(of) > 0):
            there = np.append(totals(takes_part, level) > 0, np.ones(added, bool))
            freedom = min(freedom, tail_freedom(parts[there]))
        laws.append(Student(centre, error, max(1.0, freedom)))
    return replace(said, laws=tuple(laws))


def rated_sizes(level: Integers | None, rated: NDArray[np.bool_]) -> Float:
    """Return the number of ratings of each group that has some: [groups]. Each rating is a group if `level` is None."""
    if level is None:
        return np.ones(int(rated.sum()))
    return np.unique(level[rated], return_counts=True)[1].astype(float)


def _rated_mean(
    ratings: Float, scores: Float, design: Design, scale: Scale | None, least: float, yes_no: bool
) -> RatedMean:
    estimated = powered(ratings, scores, design, least)
    rated, strata, rows = design.rated, design.strata, len(scores)
    z = np.where(rated, ratings, 0.0) - estimated.weight * scores
    weights = np.where(rated, design.weights, 0.0) / rows  # of each rated row in the mean; their sum is 1
    groups = int(strata.max()) + 1
    shares = np.bincount(strata, weights, groups)
    # How many rows of equal weight say as much as the rated rows of each stratum: their number, where they weigh alike.
    counts = shares**2 / np.maximum(np.bincount(strata, weights**2, groups), 1e-300)
    means = np.bincount(strata, weights * z, groups) / np.maximum(shares, 1e-300)
    more = _two_rows(ratings, scores, design=design, weight=estimated.weight, scale=scale, yes_no=yes_no)
    size = 1.0 if design.clusters is None else float(rated.sum()) / design.units
    added = np.zeros(0) if more is None else size * shares  # how many rows of each kind each stratum gets
    whole = counts if more is None else counts + 2 * added
    new = means if more is None else (counts * means + added * sum(more)) / np.maximum(whole, 1e-300)
    # The influence of a rated row falls as the two more rows take their part, and is about the new mean of its stratum.
    factor = counts / np.maximum(whole, 1e-300)
    influence = estimated.influence.copy()
    influence[rated] = (influence * factor[strata] + (weights * factor[strata]) * (means - new)[strata])[rated]
    units = (design.units if design.clusters is not None else float(rated.sum())) + (2 if more is not None else 0)
    fitted = len(np.unique(strata[rated]))
    small = math.sqrt(max(units - fitted, 1.0) / units)
    of_added = np.zeros(0)
    if more is not None:
        of_added = np.concatenate(
            [shares * (changed - new) / np.maximum(whole, 1e-300) * np.sqrt(added * size) for changed in more]
        ) * (small * units / max(units - 1, 1.0))
    return RatedMean(
        value=estimated.estimate,
        centre=estimated.estimate + float(shares @ (new - means)),
        influence=influence / (1 - leverage(scores, design, factor)) * small,
        added=of_added,
        fitted=fitted,
        weight=estimated.weight,
    )


def _two_rows(
    ratings: Float, scores: Float, design: Design, weight: float, scale: Scale | None, yes_no: bool
) -> tuple[float, float] | None:
    """Return rating minus weighted score for the two added rows; None if no rows are added.

    Args:
        ratings: the rating of each row: [rows].
        scores: the score of each row: [rows].
        design: which rows are rated.
        weight: the weight of the scores.
        scale: the least and the greatest rating; None if they are not known.
        yes_no: whether the ratings are yes and no.

    Returns:
        The value of the row with the low rating, and of the row with the high rating.
    """
    rated = design.rated
    y, x = ratings[rated], weight * scores
    errors = None if yes_no else _errors(y, x[rated])
    if errors is not None:
        most = float(np.abs(y).max()) if scale is None else scale[1] - scale[0]
        more = two_more(errors, (-most, most), ends=False)
        agreed = float((y - x[rated])[errors == 0].mean())
        return None if more is None else (agreed + more[0], agreed + more[1])
    more = two_more(y, scale or UNLIMITED, ends=yes_no)
    if more is None:
        return None
    good, bad = y >= (more[0] + more[1]) / 2, y <= (more[0] + more[1]) / 2
    of_good = float(x[rated][good].mean()) if good.any() else float(x.max())
    of_bad = float(x[rated][bad].mean()) if bad.any() else float(x.min())
    return more[0] - of_good, more[1] - of_bad


def _errors(y: Float, x: Float) -> Float | None:
    """Return each rating minus the rating that its score predicts; None if fewer than half of these differences are 0.

    The prediction is the line through the two most frequent pairs of score and rating, so that scores and ratings may
    have different units.

    Args:
        y: the ratings: [ratings].
        x: the weighted score of each rated row: [ratings].

    Returns:
        The differences: [ratings]; or None.
    """
    pairs, counts = np.unique(np.stack([x, y], 1), axis=0, return_counts=True)
    pairs = pairs[np.argsort(-counts, kind="stable")]
    others = pairs[(pairs != pairs[0]).all(1)]
    if not len(others):
        return None
    (x0, y0), (x1, y1) = pairs[0], others[0]
    errors = y - y0 - (y1 - y0) / (x1 - x0) * (x - x0)
    errors[np.abs(errors) <= ALIKE * np.abs(y).max()] = 0.0
    return errors if 2 * int((errors == 0).sum()) >= len(y) else None


def more_ratings(
    means: Sequence[RatedMean],
    said: Inference,
    confidence: float,
    margin: float,
    rated: NDArray[np.bool_],
    n: int,
    rows: int,
) -> float:
    """Return the number of further ratings with which an interval is plus or minus a margin.

    The variance of the rated rows falls as 1 / ratings, and the variance of the scores of the other rows stays.

    Args:
        means: the mean, or the two means whose difference has the interval.
        said: the inference of this mean or difference.
        confidence: the confidence level of the interval.
        margin: half of the wanted length of the interval.
        rated: whether each row is rated: [rows].
        n: the number of ratings that there are.
        rows: the greatest number of ratings that are possible.

    Returns:
        The number of ratings beyond the first `n`; 0 if the interval is short enough, infinite if `rows` ratings are
        not enough.
    """
    influence, added = _influence(means), np.concatenate([of_mean.added for of_mean in means])
    of_rated = float((influence[rated] ** 2).sum()) + float(added @ added)
    of_rest = float((influence[~rated] ** 2).sum())
    low, high = said.interval(confidence)

    def half(ratings: int) -> float:
        left = (of_rated * n / ratings + of_rest) / (of_rated + of_rest) if of_rated else n / ratings
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


def _influence(means: Sequence[RatedMean]) -> Float:
    return means[0].influence if len(means) == 1 else means[0].influence - means[1].influence


def _parts(means: Sequence[RatedMean], clusters: Integers | None) -> Float:
    """Return the influences of the clusters, or without clusters of the rows, and then those of all added rows."""
    return np.append(totals(_influence(means), clusters), np.concatenate([of_mean.added for of_mean in means]))
