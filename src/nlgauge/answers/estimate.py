"""`nlgauge.estimate`: what people would say of all outputs, from the scores of all and the ratings of a few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.data.table.selection import label, selected
from nlgauge.errors import InputError
from nlgauge.maths.effective import Gain, effective_ratings
from nlgauge.maths.inference import NOTHING, Inference, Measured, mean_of, two_more
from nlgauge.maths.intervals import unequal
from nlgauge.maths.rated_means import RatedMean, Scale, helps, inference, more_ratings, rated_means
from nlgauge.maths.rater_effects import RaterSpread
from nlgauge.ratings.blanks import Blanks, WorstCase
from nlgauge.ratings.join import Source
from nlgauge.ratings.rated import RatedRows, rated_rows, unseen
from nlgauge.ratings.refusing import refusal
from nlgauge.ratings.sampling import Draw
from nlgauge.ratings.trials import by_trial, refuse_unnamed
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.environment import p_value
from nlgauge.show.tables import Cell, Number, words
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.fitting import combined
from nlgauge.stats.interrater import RaterAgreement

ALL = "all systems"
"""What the rows of all systems are called where they are estimated together"""
_WIDER = 1.05
"""From how many times as long on intervals are said to be wider because of raters"""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The mean rating of a system, or the difference of two systems' means, by one metric and for one aspect.

    A number with its interval is a `Measured` (value, low, high); in JSON and in data frames it is three, as `worth`,
    `worth_low` and `worth_high`.
    """

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
    worth: Measured = NOTHING
    """The effective number of ratings: how many would give, without the metric, an interval as short. It is the number
    of ratings times the square of the quotient of the two printed lengths, and at most the number of rows. Its interval
    (`nlgauge.maths.effective`) is NaN where all rows are rated"""
    weight: float = math.nan
    """That of the metric in the estimate, 0 where it does not help; NaN for a difference"""
    alone: Measured = NOTHING
    """What the ratings alone say"""
    bare: Measured = NOTHING
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
    blank: WorstCase | None = None
    """The worst case, where raters passed rows by: drawn, before the last rated row of the sheet, and not rated"""
    wider: float = 1.0
    """How many times as long the interval is because of the spread of raters (`nlgauge.maths.rater_effects`): 1 where
    all of them rated the same rows, or one person rated all"""

    @property
    def half(self) -> float:
        """Half the interval's length."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, repr=False)
class Estimates(Answered, Records[Estimate]):
    """A sequence of `Estimate`: by aspect and metric, the systems and then their differences."""

    kind = Estimate
    records: list[Estimate]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each system, difference and aspect, and one more where raters passed rows by"""
    agreement: tuple[RaterAgreement, ...] = ()
    """Of the raters of each aspect that several people rated"""

    below: float | None = None
    """The rating of which the share of rows below is estimated, where one was named"""
    margin: float | None = None
    """That of the interval for which further ratings are counted, where one was named"""

    def to_answer(self) -> Answer:
        """Return the sentences, and a table for each aspect and metric."""
        groups = dict.fromkeys((record.aspect, record.metric) for record in self)
        more: list[Cell] = [] if self.margin is None else [f"more for ±{self.margin:g}"]
        heads = ["rated", "estimate", "ratings alone", "effective", *more]
        share = "" if self.below is None else f" below {self.below:g}"
        names = [f"{aspect}{share}, by {metric}" for aspect, metric in groups]
        corners = names if len(names) > 1 else ["system"]
        return Answer(
            command="estimate",
            record={"answers": self.answers, "estimates": self.records, "agreement": self.agreement},
            sentences=self.answers,
            tables=[[[corner, *heads], *_lines(self, group)] for corner, group in zip(corners, groups, strict=True)],
            legend=[*(names if len(names) == 1 else ()), *_legend(self)],
            notes=self.notes,
        )


def _lines(estimates: Estimates, group: tuple[str, str]) -> Iterator[list[Cell]]:
    for record in estimates:
        if (record.aspect, record.metric) == group:
            wanted: Cell = "more rows" if math.isinf(record.more) else Number(record.more, digits=0)
            yield [
                record.system,
                f"{record.ratings} of {record.rows}",
                Number(record.estimate, record.low, record.high),
                Number(*record.alone),
                Number(*record.worth, digits=0),
                *([] if estimates.margin is None else [wanted]),
            ]


def _legend(estimates: Estimates) -> Iterator[str]:
    """Yield what the bare metric says, and what has no number."""
    for aspect, metric in dict.fromkeys((record.aspect, record.metric) for record in estimates):
        bare = [
            record
            for record in estimates
            if (record.aspect, record.metric) == (aspect, metric) and not math.isnan(record.bare.value)
        ]
        if bare:
            means = ", ".join(f"{record.system} {words(Number(*record.bare))}" for record in bare)
            yield f"{metric}: its own mean, which is no estimate of {aspect}: {means}"
    clustered = [record for record in estimates if not math.isnan(record.effective)]
    fewest = min(clustered, key=lambda record: record.effective, default=None)
    if fewest is not None and (said := unequal(fewest.clusters, fewest.effective)):
        yield f"{fewest.system}: the ratings' {said}"
    for reason in dict.fromkeys(record.reason for record in estimates if record.reason):
        yield f"no estimate for {reason}"


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
    """Return each system's mean rating, and each two systems' difference, from all scores and the ratings of some.

    The intervals speak of rows like these, and not of these rows alone. They hold if the rated rows were drawn at
    random: from all rows of the system; or with probabilities that are known, from `draw` (what `nlgauge sample`
    wrote), from a column `probability` of the ratings, or, within strata, from a column `stratum` that all rows have.

    Interval and test are those of `nlgauge.maths.rated_means`: a share of ratings alone has Wilson's interval, and the
    exact one where all ratings are equal; all others have Student's t. Scores that do not make the estimate more
    certain have the weight 0, so that it is that of the ratings alone. A difference counts the scores of both systems
    or of none. The intervals of all differences hold at once.

    Where an interval would not be valid there is no number but a reason: with fewer than `LEAST` ratings or clusters,
    where all ratings are the same and no scale is known or raters passed rows by, and where the rated rows' scores are
    not like those of the others (`CHOSEN`), so that they cannot have been drawn at random. Where raters passed rows by,
    the worst case stands beside the estimate (`WorstCase`). Where rows were shared out among the raters of a rating
    project, the interval holds their spread.

    Args:
        table: the scores of all rows. A row without a score counts with the mean score.
        ratings: the ratings of some rows, as `nlgauge.correlate` takes them.
        metrics: as `nlgauge.correlate` takes them, the first sub-score of each; all where none is given. With several
            there is a record for each and one for all together, whose predictions are cross-fitted (Zrnic and Candès,
            "Cross-prediction-powered inference", 2024).
        aspects: those of the ratings; by default all.
        below: estimate the share of rows that are rated below this, and not the mean rating.
        cluster: 'item', or a column of `outputs` (else of the ratings): rows that share its value are not independent.
            Differences always keep the rows of an item together.
        outputs: the outputs of the table's rows.
        draw: how rows were drawn, and what they are called on the sheet.
        confidence: that of the intervals.
        margin: also say how many further ratings make the interval plus or minus this.
        scale: the least and the greatest rating that there can be, such as (1, 5). No estimate leaves it. A rating
            project has its own, and ratings that are all 0 or 1 have (0, 1).
        pooled: estimate the mean rating of all rows together, as of one system; outputs for one item are not
            independent.
        seed: of the folds, where several metrics are fitted together.

    Returns:
        A record for each aspect, metric and system, and for each difference of two systems.

    Raises:
        InputError: where nothing can be said of any system, and for what does not exist or does not go together.
    """
    table, ratings, outputs = by_trial(table, ratings, outputs, drawn=draw is not None and draw.of_trials)
    refuse_unnamed(table)
    if scale is not None and not scale[0] < scale[1]:
        raise InputError(f"the scale {scale!r} does not rise", remedy="give the least rating and the greatest, as 1 5")
    if not 0 < confidence < 1:
        raise InputError(f"the confidence {confidence!r} is not between 0 and 1", remedy="0.95, for one")
    rated = rated_rows(table, ratings, aspects, cluster=cluster, outputs=outputs, draw=draw)
    table, _ = unseen(table, rated.values, rated.notes)
    return estimated(
        selected(table, metrics),
        rated,
        below=below,
        confidence=confidence,
        margin=margin,
        scale=scale,
        pooled=pooled,
        seed=seed,
    )


def estimated(
    table: ScoreTable,
    rated: RatedRows,
    *,
    below: float | None = None,
    confidence: float = 0.95,
    margin: float | None = None,
    scale: Scale | None = None,
    pooled: bool = False,
    seed: int = 0,
) -> Estimates:
    """Return what `estimate` does, by all metrics of a table whose rows are joined to their ratings already.

    Args:
        table: the scores of all rows, by the metrics that count.
        rated: the ratings in the order of the table's rows, and how rows were drawn.
        below: as `estimate` takes it.
        confidence: as `estimate` takes it.
        margin: as `estimate` takes it.
        scale: as `estimate` takes it.
        pooled: as `estimate` takes it.
        seed: as `estimate` takes it.

    Returns:
        The records, as of `estimate`.

    Raises:
        InputError: as `estimate`.
    """
    chosen = table
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
    rows = {system: table.rows_of(system) for system in table.systems}
    for aspect, values in rated.values.items():
        y = values if below is None else np.where(np.isnan(values), np.nan, values < below)
        ends = rated.scales.get(aspect) if scale is None else scale
        if ends is None or below is not None:
            ends = _scale_of(y)
            if ends is not None and below is None and len(np.unique(y[~np.isnan(y)])) == 1:
                notes.append(f"{aspect}: all ratings are alike, and are read as 0 or 1; --scale names another scale")
        else:
            _refuse_off_scale(table, y, aspect, ends)
        raters = _raters(rated, aspect, ends, below)
        task = _Task(
            table=table,
            rows=rows,
            rated=rated,
            aspect=aspect,
            values=y,
            scale=ends,
            confidence=confidence,
            margin=margin,
            seed=seed,
            below=below,
            raters=raters,
        )
        for metric, x in zip(names, scores, strict=True):
            records += task.records(metric, x[:, None])
        if len(names) > 1:
            # Weights are not negative; and of rows rated below a number there are more where scores are worse.
            up = 1 if below is None else -1
            signs = [up if column.higher_is_better else -up for column in chosen.columns.values()]
            records += task.records(" + ".join(names), np.stack(scores, 1) * signs)
        if (
            raters is not None
            and (wider := max(record.wider for record in records if record.aspect == aspect)) > _WIDER
        ):
            notes.append(f"{aspect}: {raters.said(wider)}")
    if all(record.reason for record in records):
        raise InputError(records[0].reason or "there is nothing to estimate")
    answers = [*_answers(table, records, below, confidence), *worst_cases(records)]
    return Estimates(
        records=records,
        notes=[*rated.notes, *notes],
        answers=answers,
        agreement=rated.agreement,
        below=below,
        margin=margin,
    )


def _half(said: Inference, confidence: float) -> float:
    """Return half the length of an interval; NaN where there is none, or of the length 0."""
    low, high = said.interval(confidence)
    return (high - low) / 2 or math.nan


def _raters(rated: RatedRows, aspect: str, scale: Scale | None, below: float | None) -> RaterSpread | None:
    """Return the raters of an aspect; None where fewer than two are known."""
    ratings = rated.raters.get(aspect, np.zeros((0, 0)))
    ratings = ratings[~np.isnan(ratings).all(1)]
    if len(ratings) < 2:
        return None
    ratings = ratings if below is None else np.where(np.isnan(ratings), np.nan, ratings < below)
    low, high = scale or (float(np.nanmin(ratings)), float(np.nanmax(ratings)))
    return RaterSpread(ratings=ratings, length=high - low)


def _pooled(table: ScoreTable, rated: RatedRows) -> tuple[ScoreTable, RatedRows]:
    """Return a table whose rows are all of one system, and its ratings; rows of one item are a cluster."""
    clusters = rated.clusters
    if clusters is None and len(np.unique(rated.items)) < len(rated.items):
        clusters = rated.items
    rows = [(ALL, f"{system}, {item}") for system, item in table.rows]
    return replace(table, rows=rows, clusters=None), replace(rated, clusters=clusters)


def _answers(table: ScoreTable, records: Sequence[Estimate], below: float | None, confidence: float) -> Iterator[str]:
    """Yield a sentence for each system, difference and aspect, by all metrics together where there are several."""
    last = {(record.system, record.aspect): record for record in records if not record.reason}
    level = f"{100 * confidence:g} % interval"
    for record in last.values():
        single = record.system in table.systems
        unit = 100 if record.share else 1
        value, low, high = (f"{unit * number:.3g}" for number in (record.estimate, record.low, record.high))
        of = f"{record.ratings:,} of {record.rows:,} rows are rated"
        if record.ratings == record.rows:
            of = f"all {record.rows:,} rows are rated, so scores had nothing left to save"
        if record.share:
            rated = f"rated below {below:g}" if below is not None else "rated 1"
            what = f"about {value} of 100 outputs are {rated}"
            if not single:
                more = f"{abs(100 * record.estimate):.3g} {'fewer' if record.estimate < 0 else 'more'}"
                what = f"of 100 outputs, about {more} are {rated}"
        else:
            what = f"the mean rating is about {value}" if single else f"the mean ratings differ by about {value}"
        p = "" if single else f"; p {p_value(record.p)}"
        yield f"{record.system}, {record.aspect}: {what} ({level} {low} to {high}; {of}{p})."


def worst_cases(records: Sequence[Estimate]) -> Iterator[str]:
    """Yield a sentence for each system, difference and aspect with blank rows, by all metrics together."""
    last = {(record.system, record.aspect): record for record in records if not record.reason}
    for record in last.values():
        if record.blank is not None:
            interval = Measured(record.estimate, record.low, record.high)
            said = record.blank.sentence(interval, 100 if record.share else 1, record.p == record.p)
            yield f"{record.system}, {record.aspect}: {said}."


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
    """Return the name of each metric and its first sub-score [rows], and what is to be noted. Raise InputError else."""
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
    """A system's mean, by ratings alone, by its metric, and the one of the two that is taken; or why there is none."""

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
class _Task:
    """One aspect of a table's ratings."""

    table: ScoreTable
    rows: Mapping[str, Integers]
    """The rows of each system"""
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
        """By the scores [rows, metrics]: every system, then every two systems' difference."""
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
        """Whether the ratings are all 0 or 1, and their means shares."""
        return self._yes_no and bool(np.isin(self.values[~np.isnan(self.values)], (0, 1)).all())

    @property
    def _yes_no(self) -> bool:
        """Whether the ratings are yes and no, or means of several raters' yes and no."""
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
        """Return what the ratings alone say of a difference where people rated the same items of both systems.

        Before it stands whether at least half of the differences are alike on a longer scale than yes and no: what
        people call alike, the errors of scores would only blur.
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
        """Return how many further ratings make an interval plus or minus the margin; raters have their part in it."""
        left = (self.margin or 0.0) ** 2 - _half(whole, confidence) ** 2 + _half(said, confidence) ** 2
        return (
            more_ratings(means, said, confidence=confidence, margin=math.sqrt(left), rated=rated, n=n, rows=rows)
            if left > 0
            else math.inf
        )

    def _with_raters(self, said: Inference, means: Sequence[RatedMean], parts: Sequence[_Part]) -> Inference:
        """Return what means say with the spread of raters."""
        if self.raters is None:
            return said
        shares = np.zeros(len(self.values))
        for sign, part in zip((1, -1), parts, strict=False):
            rows = self.rows[part.system]
            shares[rows] = sign * self.rated.design(rows, ~np.isnan(self.values[rows])).weights / len(rows)
        return self.raters.widened(said, means, shares)
