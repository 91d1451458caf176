"""Means of ratings, and differences of two, by all scores and a few ratings, or by the ratings alone.

The estimate is that of `nlgauge.maths.prediction_powered`: the mean score of all rows, corrected by what people and
scores differ in on the rated rows. That no disagreement was seen on the rated rows is no proof that there is none. So,
as in `nlgauge.maths.inference`, two more rated rows stand beside them: a row that the scores take for good and people
rate low, and one the other way round. They are always there where people say yes or no; on another scale where at least
half of the ratings are alike, or where at least half of the rows have just the rating that their scores say. Interval
and test are Student's t of all these rows.
Strata share the two rows by their number of rows: a stratum without a bad row is then not certain, and a stratified
draw still shows what it gains.
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
"""The least and the greatest rating that there can be"""
GAIN = 0.975
"""The scores are used where they make the interval shorter than this share of the ratings' alone: useless scores seem
to help a little in some draws"""
_LEVEL = 0.95
"""The level of the intervals that are compared: the estimate must not depend on the level of the printed interval"""


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedMean:
    """A mean rating with all that its interval needs: by the scores, or by the ratings alone."""

    value: float
    centre: float
    """The mean with the two more rows"""
    influence: Float
    """The influence of each row on the centre [rows]: the sum of their squares is the variance of independent rows"""
    added: Float
    """The same of the two more rows, for each stratum [2 strata]; empty where none were added"""
    fitted: int
    """The number of strata"""
    weight: float = 0.0
    """That of the scores"""
    plain: Inference | None = None
    """What the ratings alone say, of rows that were drawn one by one at random and that share nothing"""

    def placed(self, places: Integers, rows: int) -> RatedMean:
        """Return the same mean, with its influence at some places among the rows of a whole table."""
        influence = np.zeros(rows)
        influence[places] = self.influence
        return replace(self, influence=influence)


class RatedMeans(NamedTuple):
    """The mean rating in three ways."""

    taken: RatedMean
    """`helped` where the scores make the mean more certain, else `alone`"""
    alone: RatedMean
    """By the ratings alone"""
    helped: RatedMean
    """By the scores; `alone` itself where they cannot help, because they are all equal or all rows are rated"""

    def placed(self, places: Integers, rows: int) -> RatedMeans:
        """Return the same means, with their influence at some places among the rows of a whole table."""
        alone = self.alone.placed(places, rows)
        helped = alone if self.helped is self.alone else self.helped.placed(places, rows)
        return RatedMeans(helped if self.taken is self.helped else alone, alone, helped)


def rated_means(
    ratings: Float, scores: Float, design: Design, scale: Scale | None, least: float = -math.inf, yes_no: bool = False
) -> RatedMeans:
    """Return the mean rating with the help of the scores, the mean of the ratings alone, and which of them to use.

    Scores that do not make the mean more certain get the weight 0 (`helps`).

    Args:
        ratings: of each row [rows], read where `design` says that a row is rated.
        scores: of each row [rows].
        design: how the rated rows were drawn.
        scale: that of the ratings, where it is known.
        least: the lower limit of the scores' weight, as `nlgauge.maths.prediction_powered.powered` takes it.
        yes_no: whether the ratings are yes and no, as the ends of the scale, or means of several people's.

    Returns:
        The three means.
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
    """Return whether what scores and ratings say is more certain than what the ratings alone say.

    This compares the lengths of the two intervals (`GAIN`), before any limit of the scale cuts them, and does not look
    at the two numbers, so that it favours none.

    Args:
        alone: the mean of the ratings alone.
        helped: the mean from scores and ratings.

    Returns:
        True where the interval of `helped` is so much shorter.
    """
    ends = [[law.ends(_LEVEL) for law in said.laws] or [(math.nan, math.nan)] for said in (alone, helped)]
    lengths = [max(high for _, high in of) - min(low for low, _ in of) for of in ends]
    return lengths[1] < GAIN * lengths[0]


def inference(
    means: Sequence[RatedMean], levels: Sequence[Integers | None], rated: NDArray[np.bool_], scale: Scale | None
) -> Inference:
    """Return what one mean says, or the first less the second of two.

    Args:
        means: of the same rows.
        levels: what rows share [rows], None where they share nothing; from the most to the least, as clusters and then
            rows, or the items that two systems have in common. The interval is the union of those of all levels.
        rated: whether each row is rated [rows].
        scale: that of the ratings, where it is known.

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
    """Return the number of ratings of each cluster that has some; 1 for each rating where rows share nothing."""
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
    """Return rating less weighted score of the two more rows; None where the ratings say how far they spread."""
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
    """Return how far each rating is from the one that its score says; None where less than half of them are just that.

    What a score says is read off the line through the two most frequent pairs of score and rating, so that scores may
    have a unit of their own.
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
    """Return how many further ratings make an interval plus or minus a margin; infinite if more rows are needed.

    The variance of the rated rows falls as 1 / ratings, and that of the scores of the other rows stays.

    Args:
        means: those that the interval is of.
        said: what they say.
        confidence: that of the interval.
        margin: half of its length.
        rated: whether each row is rated [rows].
        n: the number of ratings.
        rows: the most that there can be.

    Returns:
        How many ratings beside the `n`; 0 where the interval is short enough.
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
    """Return the influence of each cluster, or row, and then of the two more rows of each mean and stratum."""
    return np.append(totals(_influence(means), clusters), np.concatenate([of_mean.added for of_mean in means]))
