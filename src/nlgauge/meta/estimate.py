"""`nlgauge.estimate`: what people would say of all outputs, from the scores of all and the ratings of a few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.errors import InputError
from nlgauge.maths import prediction_powered as ppi
from nlgauge.maths.prediction_powered import Integers, Powered
from nlgauge.meta.arrays import Float
from nlgauge.meta.drawn import Draw
from nlgauge.meta.fitting import combined
from nlgauge.meta.join import Source
from nlgauge.meta.rated import Rated, rated_rows
from nlgauge.meta.refusing import refusal
from nlgauge.meta.selection import label, selected
from nlgauge.show.tables.terminal import terminal


@dataclass(frozen=True)
class Estimate:
    """The mean rating of a system, or the difference of two systems' means, by one metric and for one aspect."""

    system: str
    """For a difference, both: "A - B\""""
    aspect: str
    metric: str
    """With its part; several that were put together are joined by " + \""""
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    ratings: int = 0
    rows: int = 0
    clusters: int = 0
    """How many clusters hold the ratings: as many as ratings where rows stand for themselves"""
    worth: float = math.nan
    """Ratings that, without the metric, would give an interval as short"""
    weight: float = math.nan
    """That of the metric in the estimate; NaN for a difference"""
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

    def __repr__(self) -> str:
        heads = ["system", "aspect", "metric", "estimate", "low", "high", "ratings", "worth"]
        cells = [
            [f"{v:.4g}" if isinstance(v := getattr(one, head), float) else str(v) for head in heads] for one in self
        ]
        return "\n".join([*terminal([heads, *cells]), *self.notes])


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
    seed: int = 0,
) -> Estimates:
    """The mean rating of each system, and of each two systems' difference, from all scores and the ratings of some.

    The intervals speak of rows like these, and not of these rows alone. They hold if the rated rows were drawn at
    random: from all rows of the system; or with probabilities that are known, from `draw` (what `nlgauge sample` kept),
    from a column `probability` of the ratings, or, within strata, from a column `stratum` that all rows have.

    metrics: as `nlgauge.correlate` takes them, the first part of each; all where none is given. With several there is
    a record for each and one for all together, whose predictions are cross-fitted (Zrnic and Candès, "Cross-
    prediction-powered inference", 2024). A row without a score counts with the mean score.
    below: estimate the share of rows that are rated below this, and not the mean rating.
    cluster: 'item', or a column of `outputs` (else of the ratings): rows that share its value are not independent.
    Differences always keep the rows of an item together.
    margin: also say how many further ratings make the interval plus or minus this.

    Where an interval would not be valid there is no number but a reason: with fewer than `LEAST` ratings or clusters,
    where all ratings are the same, and where the rated rows' scores are not like those of the others (`CHOSEN`), so
    that they cannot have been drawn at random. Raises InputError where that is so of every system, and for what does
    not exist or does not go together.
    """
    if not 0 < confidence < 1:
        raise InputError(f"the confidence {confidence!r} is not between 0 and 1", remedy="0.95, for one")
    chosen = selected(table, metrics)
    rated = rated_rows(table, ratings, aspects, cluster=cluster, outputs=outputs, draw=draw)
    names, scores, notes = _scores(chosen)
    records: list[Estimate] = []
    for aspect, values in rated.values.items():
        y = values if below is None else np.where(np.isnan(values), np.nan, values < below)
        task = _Task(table, rated, aspect, y, below is not None, confidence, margin, seed)
        for metric, x in zip(names, scores, strict=True):
            records += task.records(metric, x[:, None])
        if len(names) > 1:
            signs = [1 if column.higher_is_better else -1 for column in chosen.columns.values()]
            records += task.records(" + ".join(names), np.stack(scores, 1) * signs)
    if all(one.reason for one in records):
        raise InputError(records[0].reason or "there is nothing to estimate")
    return Estimates(records, [*rated.notes, *notes])


def _scores(table: ScoreTable) -> tuple[list[str], list[Float], list[str]]:
    """The name of each metric and its first part [rows], and what is to be noted. Raises InputError."""
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

    ratings: int
    rows: int
    units: int
    reason: str | None = None
    by_metric: Powered | None = None
    alone: Powered | None = None
    fitted: int = 1
    bare: tuple[float, float, float] = (math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class _Task:
    """One aspect of a table's ratings."""

    table: ScoreTable
    rated: Rated
    aspect: str
    values: Float
    share: bool
    confidence: float
    margin: float | None
    seed: int

    def records(self, metric: str, x: Float) -> Iterator[Estimate]:
        """By the scores [rows, metrics]: every system, then every two systems' difference."""
        parts = {system: self._part(self.table.rows_of(system), x) for system in self.table.systems}
        for system, part in parts.items():
            yield self._record(system, metric, {system: (1.0, part)}, self.rated.clusters)
        together = self.rated.clusters if self.rated.clusters is not None else self.rated.items
        for a, b in combinations(parts, 2):
            yield self._record(f"{a} - {b}", metric, {a: (1.0, parts[a]), b: (-1.0, parts[b])}, together)

    def _part(self, rows: Integers, x: Float) -> _Part:
        design, y, x = self.rated.design(rows, ~np.isnan(self.values[rows])), self.values[rows], x[rows]
        n, units = int(design.rated.sum()), design.units
        known = np.isfinite(x)
        filled = np.where(known, x, np.nanmean(np.where(known, x, np.nan), 0)) if known.any(0).all() else None
        reason = refusal(y, filled, design, self.rated.at_random, self.rated.asked_of(rows))
        if reason or filled is None:
            return _Part(n, len(rows), units, reason)
        single = filled.shape[1] == 1
        units_of = np.arange(len(rows)) if design.clusters is None else design.clusters
        scores = filled[:, 0] if single else combined(filled, y, design.rated, units_of, self.seed)
        alone = ppi.powered(y, np.zeros(len(rows)), design)
        fitted = len(np.unique(design.strata))
        return _Part(
            n, len(rows), units, None, ppi.powered(y, scores, design, -math.inf if single else 0.0), alone, fitted,
            ppi.plain_mean(scores, design.clusters, self.confidence) if single else _Part(0, 0, 0).bare,
        )  # fmt: skip

    def _record(
        self, name: str, metric: str, of: dict[str, tuple[float, _Part]], clusters: Integers | None
    ) -> Estimate:
        parts = [part for _, part in of.values()]
        n, rows = sum(part.ratings for part in parts), sum(part.rows for part in parts)
        for system, (_, part) in of.items():
            if part.reason:
                reason = f"{system}, {self.aspect}: {part.reason}"
                return Estimate(name, self.aspect, metric, ratings=n, rows=rows, reason=reason)
        units = self._units(list(of), clusters)
        fitted = sum(part.fitted for part in parts)
        whole = {kind: self._summed(of, kind) for kind in ("by_metric", "alone")}
        found, widths, errors, p = {}, {}, [], math.nan
        for kind, (mean, *influence) in whole.items():
            moved, cautious = (ppi.totals(one, clusters) for one in influence)
            ends = ppi.interval(mean, moved, cautious, units, units - fitted, self.confidence, len(parts) > 1)
            found[kind], widths[kind] = self._within((mean, *ends), len(parts)), ends[1] - ends[0]
            errors.append(ppi.standard_error(moved))
            if kind == "by_metric" and len(parts) > 1:
                p = ppi.chance(mean, moved, cautious, units, units - fitted)
        single = len(parts) == 1 and parts[0].by_metric
        return Estimate(
            name, self.aspect, metric, *found["by_metric"], n, rows, units,
            n * (errors[1] / errors[0]) ** 2 if errors[0] else math.inf,
            single.weight if single else math.nan,
            *found["alone"],
            *(parts[0].bare if single else (math.nan,) * 3),
            self._more(whole["by_metric"][1], widths["by_metric"], errors[0], n, rows), p,
        )  # fmt: skip

    def _summed(self, of: dict[str, tuple[float, _Part]], kind: str) -> tuple[float, Float, Float]:
        """The estimate, and what each row of the table moves it by, plainly and cautiously."""
        mean, influence, cautious = 0.0, np.zeros(len(self.table.rows)), np.zeros(len(self.table.rows))
        for system, (sign, part) in of.items():
            one: Powered = getattr(part, kind)
            mean += sign * one.estimate
            influence[self.table.rows_of(system)] = sign * one.influence
            cautious[self.table.rows_of(system)] = sign * one.cautious
        return mean, influence, cautious

    def _units(self, systems: Sequence[str], clusters: Integers | None) -> int:
        rows = np.concatenate([self.table.rows_of(system) for system in systems])
        rows = rows[~np.isnan(self.values[rows])]
        return len(rows) if clusters is None else len(np.unique(clusters[rows]))

    def _within(self, numbers: tuple[float, float, float], systems: int) -> tuple[float, float, float]:
        """A share is from 0 to 1, and a difference of two shares from -1 to 1."""
        least = 0.0 if systems == 1 else -1.0
        mean, low, high = (min(max(least, number), 1.0) for number in numbers)
        return (mean, low, high) if self.share else numbers

    def _more(self, influence: Float, width: float, error: float, n: int, rows: int) -> float:
        """Ratings until the interval is plus or minus the margin, the variance of rated rows falling as 1 / ratings."""
        if self.margin is None or not error:
            return math.nan
        rated = ~np.isnan(self.values)
        of_rated, of_rest = float((influence[rated] ** 2).sum()), float((influence[~rated] ** 2).sum())
        # In units of the rows' own variance: what clusters and small samples add stays as it is.
        wanted = (of_rated + of_rest) * (2 * self.margin / width) ** 2
        if wanted <= of_rest:
            return math.inf
        needed = max(0.0, math.ceil(n * of_rated / (wanted - of_rest) - n))
        return needed if n + needed <= rows else math.inf
