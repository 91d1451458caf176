"""Estimates of each system's mean rating and of the difference of each pair of systems, by one metric and aspect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.data.table import ScoreTable
from nlgauge.maths.effective import Gain, effective_ratings
from nlgauge.maths.inference import NOTHING, Inference, Measured, mean_of, two_more
from nlgauge.maths.rated_means import RatedMean, Scale, helps, inference, more_ratings, rated_means
from nlgauge.maths.rater_effects import RaterSpread
from nlgauge.ratings.blanks import Blanks, WorstCase
from nlgauge.ratings.rated import RatedRows
from nlgauge.ratings.refusing import refusal
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.fitting import combined


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The mean rating of a system, or the difference of two systems' means, by one metric and for one aspect.

    A number with its interval is a `Measured` (value, low, high). In JSON and in data frames it becomes three numbers,
    such as `worth`, `worth_low` and `worth_high`.
    """

    system: str
    """The name of the system; for a difference, both names: "A - B\""""
    aspect: str
    metric: str
    """The metric with its sub-score; for several metrics together, all of them joined by " + \""""
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    ratings: int = 0
    rows: int = 0
    clusters: int = 0
    """How many clusters hold the ratings. Without clusters, it is the number of ratings"""
    worth: Measured = NOTHING
    """The effective number of ratings: how many ratings alone, without the metric, would give as short an interval. It
    is the number of ratings times the squared ratio of the lengths of the two intervals, and at most the number of
    rows. Its interval (`nlgauge.maths.effective`) is NaN where all rows are rated"""
    weight: float = math.nan
    """The weight of the metric's scores in the estimate, 0 where they do not help; NaN for a difference"""
    alone: Measured = NOTHING
    """The estimate from the ratings alone"""
    bare: Measured = NOTHING
    """The mean of the metric's scores, in their own unit. It is no estimate of the mean rating"""
    more: float = math.nan
    """How many further ratings make the interval plus or minus the margin; infinite if this also needs more scored
    rows, and NaN without a margin"""
    p: float = math.nan
    """For a difference: the p of the hypothesis that the two means are equal, by the distribution of the interval; else
    NaN"""
    reason: str | None = None
    """Why there is no estimate, and what to do"""
    share: bool = False
    """Whether the ratings are all 0 or 1, and the mean is a share"""
    effective: float = math.nan
    """The effective number of clusters with ratings: how many clusters of equal size would be as informative. NaN
    without clusters"""
    blank: WorstCase | None = None
    """The worst case if there are blank rows: rows that are not rated, and stand before the last rated row of the
    sheet"""
    wider: float = 1.0
    """The factor by which the spread between raters makes the interval longer (`nlgauge.maths.rater_effects`). It is 1
    where all raters rated the same rows, or one person rated all rows"""

    @property
    def half(self) -> float:
        """Half the interval's length."""
        return (self.high - self.low) / 2


def _half(said: Inference, confidence: float) -> float:
    """Return half the length of the interval of an inference; NaN where it has no interval, or one of length 0."""
    low, high = said.interval(confidence)
    return (high - low) / 2 or math.nan


class _Part(NamedTuple):
    """Estimates of a system's mean by ratings alone and with the metric, and the chosen one; or why there is none."""

    system: str
    ratings: int
    rows: int
    reason: str | None = None
    taken: RatedMean | None = None
    alone: RatedMean | None = None
    helped: RatedMean | None = None
    bare: Measured = NOTHING
    gain: Gain | None = None


@dataclass(frozen=True)
class RatedAspect:
    """The ratings of one aspect of a table, with the settings of an estimate."""

    table: ScoreTable
    rows: Mapping[str, Integers]
    """The row numbers of each system"""
    rated: RatedRows
    aspect: str
    values: Float
    scale: Scale | None
    confidence: float
    margin: float | None
    seed: int
    below: float | None
    raters: RaterSpread | None

    def records(self, metric: str, x: Float) -> Iterator[Estimate]:
        """Yield the estimates by scores [rows, metrics]: of each system, then of the difference of each pair."""
        parts = {system: self._part(system, x) for system in self.table.systems}
        blanks = Blanks.of(self.rated.blank_of(self.aspect), self.values, self.scale, self.below)
        for systems in (*((system,) for system in parts), *combinations(parts, 2)):

            def again(values: Float, systems: Sequence[str] = systems) -> Measured:
                task = replace(self, values=values, margin=None)
                of = task._record(metric, [task._part(system, x) for system in systems])
                return Measured(of.estimate, of.low, of.high)

            record = self._record(metric, [parts[system] for system in systems])
            ends = Measured(record.estimate, record.low, record.high)
            case = blanks.worst_case(ends, again, [self.rows[system] for system in systems])
            reason = record.reason
            if case is not None and reason and len(systems) == 1 and not math.isnan(case.worst.value):
                reason = f"{reason}; {case.sentence(ends, 100 if self._shares else 1, False)}"
            yield replace(record, blank=case, reason=reason)

    @property
    def _shares(self) -> bool:
        """Return whether the ratings are all 0 or 1, so that their mean is a share."""
        return self._yes_no and bool(np.isin(self.values[~np.isnan(self.values)], (0, 1)).all())

    @property
    def _yes_no(self) -> bool:
        """Return whether the ratings are yes (1) and no (0), or means of several raters' yes and no."""
        return self.scale == (0, 1)

    def _part(self, system: str, x: Float) -> _Part:
        rows = self.rows[system]
        design, y, x = self.rated.design(rows, ~np.isnan(self.values[rows])), self.values[rows], x[rows]
        n = int(design.rated.sum())
        finite = np.isfinite(x)
        filled = np.where(finite, x, np.nanmean(np.where(finite, x, np.nan), 0)) if finite.any(0).all() else None
        left_out = self.rated.blank_of(self.aspect)[rows] & np.isnan(y)
        reason = refusal(
            y,
            filled,
            design=design,
            at_random=self.rated.at_random,
            asked=self.rated.asked_of(rows),
            bounds=self.scale,
            left_out=left_out,
        )
        if reason or filled is None:
            return _Part(system=system, ratings=n, rows=len(rows), reason=reason)
        single = filled.shape[1] == 1
        units_of = np.arange(len(rows)) if design.clusters is None else design.clusters
        scores = filled[:, 0] if single else combined(filled, y, rated=design.rated, items=units_of, seed=self.seed)
        least = -math.inf if single else 0.0
        means = rated_means(y, scores, design=design, scale=self.scale, least=least, yes_no=self._yes_no)
        taken, alone, helped = means.placed(rows, len(self.table.rows))
        bare = mean_of(scores, clusters=design.clusters).measured(self.confidence) if single else NOTHING
        return _Part(
            system=system,
            ratings=n,
            rows=len(rows),
            taken=taken,
            alone=alone,
            helped=helped,
            bare=bare,
            gain=Gain.of(y, scores, design, least).placed(rows, len(self.table.rows)),
        )

    def _paired(self, parts: Sequence[_Part]) -> tuple[bool, Inference | None]:
        """Return whether the scores are left out because ratings mostly tie, and the difference by ratings alone.

        The difference is estimated from the items that people rated for both systems. It is None unless people rated
        exactly the same items of both systems, drawn with equal probabilities; the scores are not left out then.

        Ratings mostly tie if at least half of the items' differences are 0, on a scale with more than yes and no.
        Errors of the scores would then only blur these ties.

        Args:
            parts: the estimates of the two systems.
        """
        rated = ~np.isnan(self.values)
        rows = [of[rated[of]] for of in (self.rows[part.system] for part in parts)]
        first, second = (of[np.argsort(self.rated.items[of], kind="stable")] for of in rows)
        unequal = self.rated.strata.any() or self.rated.probabilities is not None
        if unequal or not np.array_equal(self.rated.items[first], self.rated.items[second]):
            return False, None
        differences = self.values[first] - self.values[second]
        most = math.inf if self.scale is None else self.scale[1] - self.scale[0]
        clusters = None if self.rated.clusters is None else self.rated.clusters[first]
        magnitude = float(np.abs(self.values[rated]).max())
        said = mean_of(differences, (-most, most), clusters, magnitude=magnitude, ends=self._yes_no)
        alike = two_more(differences, (-most, most), ends=False) is not None
        return alike and not self._yes_no, said

    def _record(self, metric: str, parts: Sequence[_Part]) -> Estimate:
        clusters = [] if self.rated.clusters is None else [self.rated.clusters]
        levels = [*clusters, None if len(parts) == 1 else self.rated.items]
        n, rows = sum(part.ratings for part in parts), sum(part.rows for part in parts)
        name = " - ".join(part.system for part in parts)
        for part in parts:
            if part.reason:
                reason = f"{part.system}, {self.aspect}: {part.reason}"
                return Estimate(system=name, aspect=self.aspect, metric=metric, ratings=n, rows=rows, reason=reason)
        within = np.zeros(len(self.values), bool)
        for part in parts:
            within[self.rows[part.system]] = True
        rated = within & ~np.isnan(self.values)
        many = len(self.table.systems) * (len(self.table.systems) - 1) // 2 if len(parts) > 1 else 1
        confidence = 1 - (1 - self.confidence) / many
        single = len(parts) == 1
        kinds = ("taken" if single else "helped", "alone")  # scores count for both systems, or for none
        means = [[mean for part in parts if (mean := getattr(part, kind)) is not None] for kind in kinds]
        taken, alone = (inference(of, levels, rated, self.scale) for of in means)
        if not single:
            alike, paired = self._paired(parts)
            alone = paired or alone
            if alike or not helps(alone, taken):
                means[0], taken = means[1], alone
        of_these = [taken, alone]
        taken, alone = (self._with_raters(said, of, parts) for said, of in zip(of_these, means, strict=True))
        more = math.nan
        if self.margin is not None:
            of_both = zip(means, of_these, (taken, alone), strict=True)
            more = min(
                self._more(of, said, whole=whole, confidence=confidence, rated=rated, n=n, rows=rows)
                for of, said, whole in of_both
            )
        (low, high), (alone_low, alone_high) = (said.interval(confidence) for said in (taken, alone))
        worth = NOTHING
        if high > low:
            value = min(float(rows), n * ((alone_high - alone_low) / (high - low)) ** 2)
            gains = [part.gain for part in parts if part.gain is not None]
            ends = effective_ratings(gains, rated, rows=rows, clusters=levels[0], level=self.confidence)
            worth = Measured(value, min(ends[0], value), max(ends[1], value))  # NaN stays NaN
        return Estimate(
            system=name,
            aspect=self.aspect,
            metric=metric,
            estimate=taken.value,
            low=low,
            high=high,
            ratings=n,
            rows=rows,
            clusters=taken.groups,
            worth=worth,
            weight=means[0][0].weight if single else math.nan,
            alone=Measured(alone.value, alone_low, alone_high),
            bare=parts[0].bare if single else NOTHING,
            more=more,
            p=math.nan if single else taken.p(),
            share=self._shares,
            effective=math.nan if levels[0] is None else taken.effective,
            wider=_half(taken, confidence) / _half(of_these[0], confidence),
        )

    def _more(
        self,
        means: Sequence[RatedMean],
        said: Inference,
        whole: Inference,
        confidence: float,
        rated: Mask,
        n: int,
        rows: int,
    ) -> float:
        """Return how many further ratings make the interval plus or minus the margin, spread of raters included.

        Args:
            means: the estimated mean of each system.
            said: the inference of the mean, or of the difference, without the spread between raters.
            whole: the same inference with the spread between raters.
            confidence: the confidence of the interval.
            rated: which rows of these systems are rated: [rows of the table].
            n: the number of ratings.
            rows: the number of rows of these systems.
        """
        left = (self.margin or 0.0) ** 2 - _half(whole, confidence) ** 2 + _half(said, confidence) ** 2
        return (
            more_ratings(means, said, confidence=confidence, margin=math.sqrt(left), rated=rated, n=n, rows=rows)
            if left > 0
            else math.inf
        )

    def _with_raters(self, said: Inference, means: Sequence[RatedMean], parts: Sequence[_Part]) -> Inference:
        """Return the inference of a mean, or of a difference of two, widened by the spread between raters.

        Args:
            said: the inference without this spread.
            means: the estimated mean of each system.
            parts: the estimates of the same systems, which give their names.
        """
        if self.raters is None:
            return said
        shares = np.zeros(len(self.values))
        for sign, part in zip((1, -1), parts, strict=False):
            rows = self.rows[part.system]
            shares[rows] = sign * self.rated.design(rows, ~np.isnan(self.values[rows])).weights / len(rows)
        return self.raters.widened(said, means, shares)
