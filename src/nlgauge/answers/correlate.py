"""Agreement of metrics with people: `correlate` computes it for each metric and each aspect of the ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.errors import SpecError
from nlgauge.ratings.join import Key, Source
from nlgauge.ratings.rated import Joined, Measurement, joined, rated_items, rated_part, unseen
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.tables import Cell, Number
from nlgauge.stats.arrays import Float, Integers
from nlgauge.stats.coefficients import soft_accuracy, superiority
from nlgauge.stats.correlation import coefficient as coefficient_of
from nlgauge.stats.correlation import estimate
from nlgauge.stats.of_items import of_items
from nlgauge.stats.resampling import bootstrap, crossed, drawn, interval, p_value, permuted, shuffled

_OF_SETS = "a corpus-level metric has one number a system: level='system'"
_NO_ITEMS = "a corpus-level metric has no items by which to tell how sure it is"


@dataclass(frozen=True)
class Agreement:
    """The agreement of a metric's sub-score with an aspect of the ratings."""

    metric: str
    part: str
    aspect: str
    level: str
    coefficient: str
    value: float = math.nan
    """The coefficient: above 0 is agreement, also where lower scores are better. NaN where it is undefined"""
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    """The p of the hypothesis that there is no agreement, by Student's t or by permutation, as `correlate` says"""
    n: int = 0
    """How many units the value is computed over: rows at the level 'pooled', items with a coefficient at 'item',
    systems at 'system'"""
    rows: int = 0
    """The number of rows with both a score and a rating"""
    undefined: int = 0
    """The number of items within which the coefficient is undefined"""
    turned: bool = False
    """Whether the sign was changed, because lower is better by this metric"""
    threshold: float | None = None
    """For accuracy_calibrated alone: the largest difference of two scores that counts as a tie"""
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class Agreements(Answered, Records[Agreement]):
    """What `correlate` returns: a record for each sub-score and aspect, and the rows that could not be joined."""

    kind = Agreement
    records: list[Agreement]
    unrated: dict[str, int] = field(default_factory=dict)
    """By aspect: the number of the table's rows without a rating"""
    unscored: list[Key] = field(default_factory=list)
    """The (system, item) of each rating that belongs to no row of the table"""
    notes: list[str] = field(default_factory=list)
    rows: int = 0
    """The number of rows of the table"""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """The scores of the metrics, by spec"""

    def to_answer(self) -> Answer:
        """Return the answer: a table with a line for each sub-score and a column for each aspect."""
        aspects = list(self.unrated)
        cells: list[list[Cell]] = [["metric", *aspects]]
        for number, record in enumerate(self.records):
            if number % len(aspects) == 0:
                column = self.columns.get(record.metric)
                cells.append([record.metric if column is None else column.label(record.metric, record.part)])
            cells[-1].append(Number(record.value, record.low, record.high, record.p))
        return Answer(
            command="correlate",
            record={"agreements": self.records, "unrated": self.unrated, "unscored": self.unscored},
            tables=[cells],
            legend=list(self._legend()),
            notes=self.notes,
        )

    def _legend(self) -> Iterator[str]:
        if turned := dict.fromkeys(record.metric for record in self if record.turned):
            yield f"lower is better, so the sign is turned: {', '.join(turned)}"
        for aspect, count in self.unrated.items():
            if count:
                yield f"{aspect}: {count} of {self.rows} rows have no rating"
        if self.unscored:
            first = ", ".join(f"{system}/{item}" for system, item in self.unscored[:5])
            more = ", ..." if len(self.unscored) > 5 else ""
            yield f"{len(self.unscored)} rated outputs are not in the scores ({first}{more})"
        for record in self:
            if record.reason:
                yield f"{record.metric} {record.part}, {record.aspect}: no value: {record.reason}"
            elif record.undefined:
                which = f"{record.undefined} of {record.n + record.undefined} items"
                yield f"{record.metric} {record.part}, {record.aspect}: no value within {which}, left out"

    def get(self, metric: str, aspect: str | None = None, part: str | None = None) -> Agreement:
        """Return the first record for a metric, an aspect and a sub-score.

        Args:
            metric: the metric's spec.
            aspect: the aspect of the ratings; None for any.
            part: the sub-score; None for any.

        Returns:
            The record.

        Raises:
            SpecError: there is no such record.
        """
        for record in self.records:
            if record.metric == metric and aspect in (None, record.aspect) and part in (None, record.part):
                return record
        raise SpecError(f"no agreement of {metric} with {aspect or 'any aspect'}")


def correlate(
    table: ScoreTable,
    ratings: Source,
    *,
    level: str = "item",
    coefficient: str = "pearson",
    aspects: Sequence[str] | None = None,
    resample: str = "both",
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Agreements:
    """Return the agreement of each metric of a table with people's ratings.

    Args:
        table: the scores. Informational sub-scores, which have no better direction, are left out;
            `nlgauge.data.table.selection.selected` takes them by name.
        ratings: a Corpus (its rows' `scores`), a ScoreTable, a column of this table, {(system, item): rating} or
            {aspect: {(system, item): rating}}; ratings and rows are joined by system and item.
        level: 'item' (the correlation over the systems of an item, averaged over items), 'system' (the correlation of
            the systems' means) or 'pooled' (the correlation of all rows).
        coefficient: 'pearson', 'spearman', 'kendall' (tau-b), or another of `nlgauge.stats.coefficients`.
        aspects: which aspects of the ratings; by default all.
        resample: what the interval generalises to: other 'items', other 'systems' or 'both'. For items, interval and p
            both come from Student's t (`nlgauge.stats.of_items`). Else the interval holds the percentiles of a
            bootstrap, and p comes from a permutation test. That test also gives p wherever the chance level of the
            coefficient is not 0.
        confidence: the confidence of the intervals.
        replicates: the number of resamples and of permutations; with 0 there is neither interval nor p.
        seed: the seed of the random draws.

    Returns:
        A record for each sub-score and aspect, and the rows and ratings that could not be joined.

    Raises:
        InputError: an output or a rating is there twice, no rating belongs to a row of the table, or the level or the
            coefficient is unknown.
    """
    how = Measurement(
        level=level, coefficient=coefficient, resample=resample, confidence=confidence, replicates=replicates, seed=seed
    )
    both, notes = joined(table.per_item(), ratings, aspects), list[str]()
    table, _ = unseen(both.table, both.ratings.values, notes)
    return agreements_of(both.of(table), how, notes)


def agreements_of(both: Joined, how: Measurement, more: Sequence[str] = ()) -> Agreements:
    """Return the agreement of each metric of a table with ratings that are joined to it already.

    Args:
        both: the table joined with its ratings. If metrics of it are panels of scorers, their scores have to be those
            that `nlgauge.ratings.rated.unseen` returns, which are cross-fitted.
        how: how the agreement is measured.
        more: further notes for the reader.

    Returns:
        A record for each sub-score and aspect, and the rows and ratings that could not be joined.
    """
    records, notes, table = list[Agreement](), [*both.ratings.notes, *more], both.table
    for (spec, part), x in both.scores.items():
        column = table.columns[spec]
        for aspect, y in both.rated.items():
            turned = not column.higher_is_better
            agreement = Agreement(
                metric=spec, part=part, aspect=aspect, level=how.level, coefficient=how.coefficient, turned=turned
            )
            records.append(_measured(agreement, column.level, x=x, y=y, how=how, clusters=both.place.clusters))
            if how.level == "item" and how.resample != "items" and records[-1].rows and not crossed(*rated_part(x, y)):
                notes.append(f"{aspect}: few items have several systems; no p at item level")
    if how.level == "item" and len(both.place.systems) == 2:
        notes.append(
            "with two systems, the correlation within an item is one of two points: 1 or -1; take level pooled"
        )
    notes.extend(_on_intervals(records, how, *both.fewest_rated))
    unrated = {aspect: int(np.isnan(both.ratings.values[aspect]).sum()) for aspect in both.aspects}
    return Agreements(
        records=records,
        unrated=unrated,
        unscored=both.ratings.unscored,
        notes=list(dict.fromkeys(notes)),
        rows=len(table.rows),
        columns=table.columns,
    )


def _on_intervals(records: Sequence[Agreement], how: Measurement, items: int, systems: int) -> Iterator[str]:
    """Yield notes on missing intervals, and on intervals that disagree with p or come from too few units.

    Args:
        records: the agreements.
        how: how the agreement is measured.
        items: the least number of rated items of an aspect.
        systems: the least number of rated systems of an aspect.
    """
    told = [record for record in records if not math.isnan(record.value)]
    if not told or not how.replicates:
        return
    if how.coefficient == "soft_accuracy" and how.resample != "systems":
        yield "intervals of soft_accuracy resample systems only"
    if bare := [record for record in told if math.isnan(record.low)]:
        yield f"no interval ({_named(bare)}): there are too few items or systems, or all resamples agree alike"
    if how.resample != "items" and (
        more := [record for record in told if record.p < 0.05 and record.low <= 0 <= record.high]
    ):
        yield (
            f"p is below 0.05 where the interval holds 0 ({_named(more)}): the interval also speaks about other"
            " systems, which it draws, and p about these systems alone"
        )
    yield from how.too_few(items, systems)


def _named(records: Sequence[Agreement]) -> str:
    """Return the names of the first three records, and how many more there are."""
    what = "; ".join(f"{record.metric} {record.part}, {record.aspect}" for record in records[:3])
    return what + (f" and {len(records) - 3} more" if len(records) > 3 else "")


def _measured(record: Agreement, of: str, x: Float, y: Float, how: Measurement, clusters: Integers | None) -> Agreement:
    """Return an agreement with its numbers, computed from scores and ratings.

    Args:
        record: the agreement without its numbers.
        of: what has a score: each row ('item'), or each system as a whole ('system').
        x: the scores: [items, systems].
        y: the ratings: [items, systems].
        how: how the agreement is measured.
        clusters: the number of each item's cluster: [items]; None without clusters.
    """
    if of == "system" and how.level != "system":
        return replace(record, reason=_OF_SETS)
    if of == "system" and how.coefficient == "soft_accuracy":
        return replace(record, reason=_NO_ITEMS)
    clusters = None if clusters is None else clusters[rated_items(x, y)]
    x, y = rated_part(x, y)
    rows = int((~np.isnan(x)).sum())
    if how.coefficient == "soft_accuracy":
        return _softly(record, x, y=y, rows=rows, how=how, clusters=clusters)
    kind = coefficient_of(how.coefficient, x, y, how.level)
    estimated = estimate(x, y, kind, how.level)
    threshold = kind.epsilon if how.coefficient == "accuracy_calibrated" else None
    record = replace(record, rows=rows, threshold=threshold, **estimated._asdict())
    if math.isnan(estimated.value):
        return record
    if not how.replicates:
        return record
    if how.resample == "items":
        low, high, p = of_items(x, y, kind=kind, level=how.level, clusters=clusters, confidence=how.confidence)
        if kind.chance == 0:
            return replace(record, low=low, high=high, p=p)
    else:
        drawn_again = bootstrap(
            x, y, kind, how.level, resample=how.resample, replicates=how.replicates, seed=how.seed, clusters=clusters
        )
        low, high = interval(drawn_again, how.percentiles(x.shape[1]))
    null = shuffled(x, y, kind, how.level, replicates=how.replicates, seed=how.seed, clusters=clusters)
    return replace(record, low=low, high=high, p=p_value(estimated.value, null, kind.chance))


def _softly(record: Agreement, x: Float, y: Float, rows: int, how: Measurement, clusters: Integers | None) -> Agreement:
    p, q = (superiority(a, max(how.replicates, 1000), how.seed, clusters) for a in (x, y))
    value, systems = float(soft_accuracy(p, q)), len(p)
    record = replace(record, value=value, n=systems, rows=rows)
    if math.isnan(value):
        reason = "no two systems have an item in common" if rows else "no row has both a score and a rating"
        return replace(record, reason=reason)
    how = replace(how, resample="systems")
    drawn_again, null = [np.empty(0)], [np.empty(0)]
    for _, index in drawn((1, systems), how.replicates, how.seed, "systems"):
        first, second = index[:, :, None], index[:, None, :]
        drawn_again.append(soft_accuracy(p[first, second], q[first, second], index.astype(np.int32)))
    for _, index in permuted((1, systems), how.replicates, how.seed):
        null.append(soft_accuracy(p[index[:, :, None], index[:, None, :]], q))
    low, high = interval(np.concatenate(drawn_again), how.percentiles(systems))
    return replace(record, low=low, high=high, p=p_value(value, np.concatenate(null), None))
