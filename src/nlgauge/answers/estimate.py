"""`nlgauge.estimate`: the mean rating of all outputs, from the scores of all and people's ratings of a few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nlgauge.answers.estimated_means import Estimate, RatedAspect
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.data.table.selection import label, selected
from nlgauge.errors import InputError
from nlgauge.maths.inference import Measured
from nlgauge.maths.intervals import unequal
from nlgauge.maths.rated_means import Scale
from nlgauge.maths.rater_effects import RaterSpread
from nlgauge.ratings.join import Source
from nlgauge.ratings.rated import RatedRows, rated_rows, unseen
from nlgauge.ratings.sampling import Draw
from nlgauge.ratings.trials import by_trial, refuse_unnamed
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.environment import p_value
from nlgauge.show.tables import Cell, Number, words
from nlgauge.stats.arrays import Float
from nlgauge.stats.interrater import RaterAgreement

ALL = "all systems"
"""What the rows of all systems are called where they are estimated together"""
_WIDER = 1.05
"""From how many times as long on intervals are said to be wider because of raters"""


@dataclass(frozen=True, repr=False)
class Estimates(Answered, Records[Estimate]):
    """A sequence of `Estimate`. For each aspect and metric, the systems come first, and then their differences."""

    kind = Estimate
    records: list[Estimate]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each system or difference and each aspect, and one more where there are blank rows"""
    agreement: tuple[RaterAgreement, ...] = ()
    """The agreement of the raters with each other, for each aspect that several people rated"""

    below: float | None = None
    """The limit, if the share of rows that are rated below a limit is estimated; else None"""
    margin: float | None = None
    """Half of the wanted length of the intervals. `more` of each record says how many further ratings reach it. None
    where no margin was given"""

    def to_answer(self) -> Answer:
        """Return the answer: the sentences, and a table for each aspect and metric."""
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
    """Yield the uncorrected mean of each metric, and the reasons for missing numbers."""
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
    """Return estimates of each system's mean rating, and of the difference of each pair of systems.

    They are made from the scores of all rows and people's ratings of some. The intervals are for all rows like these,
    and not for these rows alone. They hold if the rated rows were drawn at random, either from all rows of the system
    with equal probabilities, or with known ones. Known probabilities come from `draw` (which `nlgauge sample` wrote),
    from a column `probability` of the ratings, or from a column `stratum`, which all rows then need: the rated rows are
    drawn at random within each stratum.

    Interval and test are those of `nlgauge.maths.rated_means`. A share that is estimated from ratings alone has
    Wilson's interval, or the exact one where all ratings are equal; all other intervals are of Student's t. Scores that
    do not make the estimate more certain get the weight 0, and the estimate is then that of the ratings alone. A
    difference uses the scores of both systems or of none. The intervals of all differences hold at once.

    Where no interval would be valid, there is a reason in place of numbers. This is so with fewer than `LEAST` ratings
    or clusters, and where all ratings are the same while the scale is unknown or there are blank rows. It is also so
    where the scores of the rated rows differ so much from the other scores that the rows cannot have been drawn at
    random (`CHOSEN`). Where raters left rows blank, a worst case is given beside the estimate (`WorstCase`). Where the
    raters of a rating project had different rows, the interval includes the spread between raters.

    Args:
        table: the scores of all rows. A row without a score counts with the mean score.
        ratings: the ratings of some rows, as `nlgauge.correlate` takes them.
        metrics: specs or names of metrics, each of which may have a sub-score; by default all, each by its first
            sub-score. With several metrics there is a record for each, and one for all together, whose predictions are
            cross-fitted (Zrnic and Candès, "Cross-prediction-powered inference", 2024).
        aspects: which aspects of the ratings; by default all.
        below: estimate the share of rows that are rated below this, and not the mean rating.
        cluster: 'item', or a column of `outputs` (else of the ratings). Rows with the same value are a cluster, and not
            independent. For differences, the rows of an item always are a cluster.
        outputs: the outputs of the table's rows.
        draw: how the rated rows were drawn, and the names of the rows on the rating sheet.
        confidence: the confidence of the intervals.
        margin: half of a wanted interval length. If given, the records also say how many further ratings reach it.
        scale: the least and the greatest possible rating, such as (1, 5). Estimates and intervals stay within it. By
            default it is the scale of a rating project, or (0, 1) if all ratings are 0 or 1.
        pooled: whether to estimate one mean rating of all rows together, as if they were of one system. Outputs for the
            same item are then a cluster.
        seed: the seed of the folds, which are used where several metrics are fitted together.

    Returns:
        A record for each aspect, metric and system, and for each difference of two systems.

    Raises:
        InputError: nothing can be estimated for any system; an argument names something that does not exist; or
            arguments contradict each other.
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
    """Return the estimates of `estimate`, by all metrics of a table that is joined to its ratings already.

    Args:
        table: the scores of all rows, by the metrics to use.
        rated: the ratings in the order of the table's rows, and how rows were drawn.
        below: as `estimate` takes it.
        confidence: as `estimate` takes it.
        margin: as `estimate` takes it.
        scale: as `estimate` takes it.
        pooled: as `estimate` takes it.
        seed: as `estimate` takes it.

    Returns:
        The records, as `estimate` returns them.

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
        task = RatedAspect(
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


def _raters(rated: RatedRows, aspect: str, scale: Scale | None, below: float | None) -> RaterSpread | None:
    """Return the ratings of each rater of an aspect; None where fewer than two raters are known."""
    ratings = rated.raters.get(aspect, np.zeros((0, 0)))
    ratings = ratings[~np.isnan(ratings).all(1)]
    if len(ratings) < 2:
        return None
    ratings = ratings if below is None else np.where(np.isnan(ratings), np.nan, ratings < below)
    low, high = scale or (float(np.nanmin(ratings)), float(np.nanmax(ratings)))
    return RaterSpread(ratings=ratings, length=high - low)


def _pooled(table: ScoreTable, rated: RatedRows) -> tuple[ScoreTable, RatedRows]:
    """Return a table with all rows renamed to one system, and its ratings, in which rows of one item are a cluster."""
    clusters = rated.clusters
    if clusters is None and len(np.unique(rated.items)) < len(rated.items):
        clusters = rated.items
    rows = [(ALL, f"{system}, {item}") for system, item in table.rows]
    return replace(table, rows=rows, clusters=None), replace(rated, clusters=clusters)


def _answers(table: ScoreTable, records: Sequence[Estimate], below: float | None, confidence: float) -> Iterator[str]:
    """Yield a sentence for each system or difference and each aspect, by all metrics together if there are several."""
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
    """Yield a sentence on the worst case of each estimate with blank rows, by all metrics together."""
    last = {(record.system, record.aspect): record for record in records if not record.reason}
    for record in last.values():
        if record.blank is not None:
            interval = Measured(record.estimate, record.low, record.high)
            said = record.blank.sentence(interval, 100 if record.share else 1, record.p == record.p)
            yield f"{record.system}, {record.aspect}: {said}."


def _refuse_off_scale(table: ScoreTable, y: Float, aspect: str, scale: Scale) -> None:
    """Raise InputError for a rating that is not on the scale, because the estimate would be moved onto it silently."""
    off = np.flatnonzero((y < scale[0]) | (y > scale[1]))
    if len(off):
        system, item = table.rows[int(off[0])]
        problem = f"system {system!r}, item {item!r}, {aspect}: the rating {y[off[0]]:g} is not on the scale"
        raise InputError(f"{problem} from {scale[0]:g} to {scale[1]:g}", remedy="correct the rating or the scale")


def _scale_of(y: Float) -> Scale | None:
    """Return the scale (0, 1) if all ratings are 0 or 1; else None, because the ends of the scale are not known."""
    return (0.0, 1.0) if np.isin(y[~np.isnan(y)], (0, 1)).all() else None


def _scores(table: ScoreTable) -> tuple[list[str], list[Float], list[str]]:
    """Return names of metrics, their first sub-scores [rows], and notes. Raise InputError without scores of rows."""
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
