"""`nlgauge.estimate`: what people would say of all outputs, from the scores of all and the ratings of a few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.errors import InputError
from nlgauge.maths import prediction_powered as ppi
from nlgauge.maths.effective import effective_ratings
from nlgauge.maths.intervals import effective_groups
from nlgauge.maths.prediction_powered import Integers
from nlgauge.maths.rated_means import MeanInterval, RatedMean, Scale, rated_means
from nlgauge.render.tables import terminal
from nlgauge.stats.arrays import Float
from nlgauge.stats.fitting import combined
from nlgauge.stats.join import Source
from nlgauge.stats.project import ProjectRatings
from nlgauge.stats.rated import Rated, rated_rows
from nlgauge.stats.refusing import refusal
from nlgauge.stats.sampling import Draw
from nlgauge.stats.selection import label, selected

ALL = "all systems"
"""What the rows of all systems are called where they are estimated together"""


@dataclass(frozen=True)
class Estimate:
    """The mean rating of a system, or the difference of two systems' means, by one metric and for one aspect."""

    system: str
    """For a difference, both: "A - B\""""
    aspect: str
    metric: str
    """With its sub-score; several that were put together are joined by " + \""""
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    ratings: int = 0
    rows: int = 0
    clusters: int = 0
    """How many clusters hold the ratings: as many as ratings where rows stand for themselves"""
    worth: float = math.nan
    """The effective number of ratings: how many would give, without the metric, an interval as short. It is the number
    of ratings times the square of the quotient of the two printed lengths"""
    worth_low: float = math.nan
    worth_high: float = math.nan
    """Its interval (`nlgauge.maths.effective`): up to the number of rows where nothing speaks against that; NaN for a
    difference, and where all rows are rated"""
    weight: float = math.nan
    """That of the metric in the estimate, 0 where it does not help; NaN for a difference"""
    alone: float = math.nan
    alone_low: float = math.nan
    alone_high: float = math.nan
    """What the ratings alone say"""
    bare: float = math.nan
    bare_low: float = math.nan
    bare_high: float = math.nan
    """The metric's mean, in its own unit: no estimate of what people say"""
    more: float = math.nan
    """Further ratings until the interval is plus or minus the margin; infinite where more rows have to be scored"""
    p: float = math.nan
    """For a difference: that the two means are alike, by the same distribution as the interval; else NaN"""
    reason: str | None = None
    """Why there is no estimate, and what to do"""
    share: bool = False
    """Whether the ratings are all 0 or 1, and the mean is a share"""
    effective: float = math.nan
    """Where rows are clustered: how many clusters of equal size say as much as those with ratings"""

    @property
    def half(self) -> float:
        """Half the interval's length."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Estimates(Records[Estimate]):
    """A sequence of `Estimate`: by aspect and metric, the systems and then their differences."""

    kind = Estimate
    records: list[Estimate]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each system and aspect"""

    def __repr__(self) -> str:
        heads = ["system", "aspect", "metric", "estimate", "low", "high", "ratings", "worth"]
        cells = [
            [f"{v:.4g}" if isinstance(v := getattr(one, head), float) else str(v) for head in heads] for one in self
        ]
        return "\n".join([*self.answers, *terminal([heads, *cells]), *self.notes])


def estimate(
    table: ScoreTable,
    ratings: Source,
    *,
    metrics: Sequence[str] | None = None,
    aspects: Sequence[str] | None = None,
    below: float | None = None,
    cluster: str | None = None,
    outputs: Corpus | None = None,
    draw: Draw | None = None,
    confidence: float = 0.95,
    margin: float | None = None,
    scale: Scale | None = None,
    pooled: bool = False,
    seed: int = 0,
) -> Estimates:
    """The mean rating of each system, and of each two systems' difference, from all scores and the ratings of some.

    The intervals speak of rows like these, and not of these rows alone. They hold if the rated rows were drawn at
    random: from all rows of the system; or with probabilities that are known, from `draw` (what `nlgauge sample`
    wrote), from a column `probability` of the ratings, or, within strata, from a column `stratum` that all rows have.

    metrics: as `nlgauge.correlate` takes them, the first sub-score of each; all where none is given. With several there
    is a record for each and one for all together, whose predictions are cross-fitted (Zrnic and Candès, "Cross-
    prediction-powered inference", 2024). A row without a score counts with the mean score. below: estimate the share of
    rows that are rated below this, and not the mean rating. cluster: 'item', or a column of `outputs` (else of the
    ratings): rows that share its value are not independent. Differences always keep the rows of an item together.
    margin: also say how many further ratings make the interval plus or minus this. scale: the least and the greatest
    rating that there can be, such as (1, 5). A rating project has its own, and ratings that are all 0 or 1 have (0, 1).
    No estimate leaves it. pooled: estimate the mean rating of all rows together, as of one system; outputs for one item
    are not independent.

    A share has Wilson's interval with the effective number of ratings, and the exact one where all ratings are equal;
    other means have Student's t, or the normal interval. Scores that do not make the estimate more certain have the
    weight 0, so that it is that of the ratings alone. The intervals of all differences hold at once.

    Where an interval would not be valid there is no number but a reason: with fewer than `LEAST` ratings or clusters,
    where all ratings are the same and no scale is known, and where the rated rows' scores are not like those of the
    others (`CHOSEN`), so that they cannot have been drawn at random. Raises InputError where that is so of every
    system, and for what does not exist or does not go together.
    """
    table = table.per_item()
    if scale is not None and not scale[0] < scale[1]:
        raise InputError(f"the scale {scale!r} does not rise", remedy="give the least rating and the greatest, as 1 5")
    if not 0 < confidence < 1:
        raise InputError(f"the confidence {confidence!r} is not between 0 and 1", remedy="0.95, for one")
    chosen = selected(table, metrics)
    rated = rated_rows(table, ratings, aspects, cluster=cluster, outputs=outputs, draw=draw)
    names, scores, notes = _scores(chosen)
    if pooled:
        table, rated = _pooled(table, rated)
    systems = len(table.systems)
    if systems > 2:
        notes.append(
            f"the intervals of the {systems * (systems - 1) // 2} differences hold all at once (Bonferroni); each p is "
            "of its difference alone"
        )
    records: list[Estimate] = []
    for aspect, values in rated.values.items():
        y = values if below is None else np.where(np.isnan(values), np.nan, values < below)
        ends = scale if scale is not None or not isinstance(ratings, ProjectRatings) else ratings.scales.get(aspect)
        if ends is None or below is not None:
            ends = _scale_of(y)
            if ends is not None and below is None and len(np.unique(y[~np.isnan(y)])) == 1:
                notes.append(f"{aspect}: all ratings are alike, and are read as 0 or 1; --scale names another scale")
        else:
            _refuse_off_scale(table, y, aspect, ends)
        task = _Task(table, rated, aspect, y, ends, confidence, margin, seed)
        for metric, x in zip(names, scores, strict=True):
            records += task.records(metric, x[:, None])
        if len(names) > 1:
            # Weights are not negative; and of rows rated below a number there are more where scores are worse.
            up = 1 if below is None else -1
            signs = [up if column.higher_is_better else -up for column in chosen.columns.values()]
            records += task.records(" + ".join(names), np.stack(scores, 1) * signs)
    if all(one.reason for one in records):
        raise InputError(records[0].reason or "there is nothing to estimate")
    return Estimates(records, [*rated.notes, *notes], list(_answers(table, records, below)))


def _pooled(table: ScoreTable, rated: Rated) -> tuple[ScoreTable, Rated]:
    """Return a table whose rows are all of one system, and its ratings; rows of one item are a cluster."""
    clusters = rated.clusters
    if clusters is None and len(np.unique(rated.items)) < len(rated.items):
        clusters = rated.items
    rows = [(ALL, f"{system}, {item}") for system, item in table.rows]
    return replace(table, rows=rows, clusters=None), replace(rated, clusters=clusters)


def _answers(table: ScoreTable, records: Sequence[Estimate], below: float | None) -> Iterator[str]:
    """Yield a sentence for each system and aspect, by all metrics together where there are several."""
    last = {(one.system, one.aspect): one for one in records if one.system in table.systems and not one.reason}
    for one in last.values():
        ends = (one.estimate, one.low, one.high)
        of = f"by {one.ratings} ratings"
        if one.share:
            what = f"are rated below {below:g}" if below is not None else "are rated 1"
            share, low, high = (f"{100 * number:.3g}" for number in ends)
            yield f"{one.system}, {one.aspect}: about {share} of 100 outputs {what} ({low} to {high}; {of})."
        else:
            mean, low, high = (f"{number:.3g}" for number in ends)
            yield f"{one.system}, {one.aspect}: the mean rating is about {mean} ({low} to {high}; {of})."


def _refuse_off_scale(table: ScoreTable, y: Float, aspect: str, scale: Scale) -> None:
    """Raise InputError for a rating that the scale does not have: the estimate would be moved onto it unseen."""
    off = np.flatnonzero((y < scale[0]) | (y > scale[1]))
    if len(off):
        system, item = table.rows[int(off[0])]
        problem = f"system {system!r}, item {item!r}, {aspect}: the rating {y[off[0]]:g} is not on the scale"
        raise InputError(f"{problem} from {scale[0]:g} to {scale[1]:g}", remedy="correct the rating or the scale")


def _scale_of(y: Float) -> Scale | None:
    """Return the scale of ratings that are all 0 or 1; None for others, whose ends are not known."""
    return (0.0, 1.0) if np.isin(y[~np.isnan(y)], (0, 1)).all() else None


def _scores(table: ScoreTable) -> tuple[list[str], list[Float], list[str]]:
    """The name of each metric and its first sub-score [rows], and what is to be noted. Raises InputError."""
    names, scores, notes = [], [], []
    for spec, column in table.columns.items():
        if column.level != "item":
            raise InputError(f"{spec} has one number a system", remedy="name metrics that have one for each row")
        x = column.values[:, 0].astype(float)
        names.append(label(table, spec, column.parts[0]))
        scores.append(x)
        if undefined := int((~np.isfinite(x)).sum()):
            notes.append(f"{names[-1]}: {undefined} of {len(x)} rows have no score, and count with the system's mean")
    return names, scores, notes


class _Part(NamedTuple):
    """A system's mean: by its metric, and by ratings alone; or why there is none."""

    system: str
    ratings: int
    rows: int
    reason: str | None = None
    by_metric: RatedMean | None = None
    alone: RatedMean | None = None
    fitted: int = 1
    bare: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    worth: tuple[float, float] = (math.nan, math.nan)
    """The interval of the effective number of ratings"""


@dataclass(frozen=True)
class _Task:
    """One aspect of a table's ratings."""

    table: ScoreTable
    rated: Rated
    aspect: str
    values: Float
    scale: Scale | None
    confidence: float
    margin: float | None
    seed: int

    def records(self, metric: str, x: Float) -> Iterator[Estimate]:
        """By the scores [rows, metrics]: every system, then every two systems' difference."""
        parts = [self._part(system, x) for system in self.table.systems]
        for part in parts:
            yield self._record(metric, [part], self.rated.clusters)
        together = self.rated.clusters if self.rated.clusters is not None else self.rated.items
        for pair in combinations(parts, 2):
            yield self._record(metric, list(pair), together)

    @property
    def _shares(self) -> bool:
        """Whether the ratings are all 0 or 1, and their means shares."""
        return self.scale == (0, 1) and bool(np.isin(self.values[~np.isnan(self.values)], (0, 1)).all())

    def _part(self, system: str, x: Float) -> _Part:
        rows = self.table.rows_of(system)
        design, y, x = self.rated.design(rows, ~np.isnan(self.values[rows])), self.values[rows], x[rows]
        n = int(design.rated.sum())
        known = np.isfinite(x)
        filled = np.where(known, x, np.nanmean(np.where(known, x, np.nan), 0)) if known.any(0).all() else None
        reason = refusal(y, filled, design, self.rated.at_random, self.rated.asked_of(rows), self.scale)
        if reason or filled is None:
            return _Part(system, n, len(rows), reason)
        single = filled.shape[1] == 1
        units_of = np.arange(len(rows)) if design.clusters is None else design.clusters
        scores = filled[:, 0] if single else combined(filled, y, design.rated, units_of, self.seed)
        least = -math.inf if single else 0.0
        means = rated_means(y, scores, design, self.scale, least)
        return _Part(
            system, n, len(rows), None, means[0].placed(rows, len(self.table.rows)),
            means[1].placed(rows, len(self.table.rows)),
            fitted=len(np.unique(design.strata)),
            bare=ppi.plain_mean(scores, design.clusters, self.confidence) if single else _Part("", 0, 0).bare,
            worth=effective_ratings(y, scores, design, least, self.confidence),
        )  # fmt: skip

    def _record(self, metric: str, parts: Sequence[_Part], clusters: Integers | None) -> Estimate:
        n, rows = sum(part.ratings for part in parts), sum(part.rows for part in parts)
        name = " - ".join(part.system for part in parts)
        for part in parts:
            if part.reason:
                reason = f"{part.system}, {self.aspect}: {part.reason}"
                return Estimate(name, self.aspect, metric, ratings=n, rows=rows, reason=reason)
        sizes = self._sizes(parts, clusters)
        many = len(self.table.systems) * (len(self.table.systems) - 1) // 2 if len(parts) > 1 else 1
        confidence = 1 - (1 - self.confidence) / many
        helped, alone = (
            MeanInterval(
                [one for part in parts if (one := getattr(part, kind)) is not None], sizes,
                sum(part.fitted for part in parts), clusters, self.rated.clusters is not None, self.scale, self._shares,
            )
            for kind in ("by_metric", "alone")
        )  # fmt: skip
        rated = ~np.isnan(self.values)
        more = (
            math.nan
            if self.margin is None
            else min(one.more(confidence, self.margin, rated, n, rows) for one in (helped, alone))
        )
        ends, ends_alone = helped.ends(confidence), alone.ends(confidence)
        length, length_alone = ends[1] - ends[0], ends_alone[1] - ends_alone[0]
        single = len(parts) == 1
        worth = n * (length_alone / length) ** 2 if length else math.inf
        worth_low, worth_high = parts[0].worth if single else (math.nan, math.nan)
        return Estimate(
            name, self.aspect, metric, helped.mean, *ends, n, rows, len(sizes), worth,
            min(worth_low, worth), max(worth_high, worth),  # NaN stays NaN
            helped.means[0].weight if single else math.nan,
            alone.mean, *ends_alone,
            *(parts[0].bare if single else (math.nan,) * 3),
            more, math.nan if single else ppi.chance(helped.ends),
            share=self._shares, effective=math.nan if clusters is None else effective_groups(sizes),
        )  # fmt: skip

    def _sizes(self, parts: Sequence[_Part], clusters: Integers | None) -> Float:
        """Return the number of ratings of each cluster that has some; 1 for each rating where there are no clusters."""
        rows = np.concatenate([self.table.rows_of(part.system) for part in parts])
        rows = rows[~np.isnan(self.values[rows])]
        return (
            np.ones(len(rows)) if clusters is None else np.unique(clusters[rows], return_counts=True)[1].astype(float)
        )
