"""Does a metric agree with people: `correlate` each metric with each aspect, `contrast` the metrics with each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.meta.correlation import (
    COEFFICIENTS,
    LEVELS,
    SPECIAL,
    Coefficient,
    Estimate,
    Float,
    coefficient,
    correlation,
    estimate,
    means,
    soft_accuracy,
    superiority,
)
from nlgauge.meta.join import Grid, Key, Ratings, grid, ratings, turned
from nlgauge.meta.significance import (
    CORRECTIONS,
    RESAMPLED,
    bootstrap,
    clusters,
    crossed,
    drawn,
    exchanged,
    interval,
    p_value,
    permuted,
    shuffled,
    williams,
)
from nlgauge.table import Column, ScoreTable

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

_OF_SETS = "a metric of sets has one number a system: level='system'"
_NO_ITEMS = "a metric of sets has no items by which to tell how sure it is"


@dataclass(frozen=True)
class Agreement:
    """How a metric's part agrees with an aspect of the ratings."""

    metric: str
    part: str
    aspect: str
    level: str
    coefficient: str
    value: float
    """Positive is agreement, whichever way the metric is better; NaN with a reason"""
    low: float
    high: float
    p: float
    """That there is no agreement, by permutation"""
    n: int
    """What the value is taken over: rows (pooled), items with a value of their own (item), systems (system)"""
    rows: int
    """Rows with both a score and a rating"""
    undefined: int
    """Items without a value of their own"""
    turned: bool
    """Lower is better by this metric, so its sign was changed"""
    threshold: float | None
    """Of accuracy_calibrated: the metric's differences up to here are ties"""
    reason: str | None


@dataclass(frozen=True)
class Agreements:
    """What `correlate` found: a record per metric, part and aspect, and what could not be joined."""

    records: list[Agreement]
    unrated: dict[str, int] = field(default_factory=dict)
    """By aspect: rows of the table without a rating"""
    unscored: list[Key] = field(default_factory=list)
    """(system, item) of ratings without a row in the table"""
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Agreement]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def get(self, metric: str, aspect: str | None = None, part: str | None = None) -> Agreement:
        """The first record of a metric (its spec), an aspect and a part. Raises KeyError where there is none."""
        for record in self.records:
            if record.metric == metric and aspect in (None, record.aspect) and part in (None, record.part):
                return record
        raise KeyError(f"no agreement of {metric} with {aspect or 'any aspect'}")


@dataclass(frozen=True)
class Contrast:
    """Which of two metrics agrees better with an aspect."""

    first: tuple[str, str]
    """(metric, part)"""
    second: tuple[str, str]
    aspect: str
    difference: float
    """Coefficient of the first minus that of the second, on the rows that all have"""
    low: float
    high: float
    p: float
    """Two-sided"""
    adjusted: float
    """p, corrected for all pairs of the aspect"""


@dataclass(frozen=True)
class Contrasts:
    """What `contrast` found."""

    records: list[Contrast]
    clusters: dict[str, dict[tuple[str, str], int]]
    """By aspect and (metric, part), from 1 for the best: metrics of one cluster cannot be told apart"""
    values: dict[str, dict[tuple[str, str], float]] = field(default_factory=dict)
    """By aspect and (metric, part): the coefficient, on all rows that this metric and the ratings have"""

    def __iter__(self) -> Iterator[Contrast]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


def correlate(
    table: ScoreTable,
    ratings: Corpus | ScoreTable | Column | Mapping[Any, Any],
    *,
    level: str = "item",
    coefficient: str = "pearson",
    aspects: Sequence[str] | None = None,
    resample: str = "both",
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Agreements:
    """How each metric of the table agrees with people.

    ratings: a Corpus (its rows' `scores`), a ScoreTable, a column of this table, {(system, item): rating} or {aspect:
    {(system, item): rating}}; rows join by system and item. level: 'item' (mean over items of the correlation over an
    item's systems), 'system' (of the systems' means) or 'pooled' (of all rows). coefficient: 'pearson', 'spearman',
    'kendall' (tau-b), or another of `nlgauge.meta.correlation`. Interval: percentile bootstrap of items, systems or
    both (`resample`); p: permutation; each with `replicates` draws from `seed`. 0 replicates: neither.

    Raises InputError for duplicates, for ratings that belong to no row, and for an unknown level or coefficient.
    """
    _check(level, coefficient, resample, confidence)
    place, rated, chosen = _joined(table, ratings, aspects)
    records, notes = [], []
    for spec, column in table.columns.items():
        for part, name in enumerate(column.parts):
            for aspect in chosen:
                x, y = place.of(by_row(table, column, part)), place.of(rated.values[aspect])
                if column.level == "system" and (level != "system" or coefficient == "soft_accuracy"):
                    found = _Found(Estimate(math.nan, 0, 0, _OF_SETS if level != "system" else _NO_ITEMS))
                else:
                    found = _agreement(x, y, level, coefficient, resample, confidence, replicates, seed)
                value = found.estimate
                records.append(
                    Agreement(
                        spec, name, aspect, level, coefficient, value.value, found.low, found.high, found.p, value.n,
                        found.rows, value.undefined, not column.higher_is_better, found.threshold, value.reason,
                    )
                )  # fmt: skip
                if level == "item" and found.rows and not crossed(*rated_part(x, y)):
                    notes.append(f"{aspect}: few items have several systems; no p at item level")
    if coefficient == "soft_accuracy" and resample != "systems":
        notes.append("intervals of soft_accuracy resample systems only")
    unrated = {aspect: int(np.isnan(rated.values[aspect]).sum()) for aspect in chosen}
    return Agreements(records, unrated, rated.unscored, list(dict.fromkeys(notes)))


class _Found(NamedTuple):
    estimate: Estimate
    rows: int = 0
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    threshold: float | None = None


def _agreement(
    x: Float, y: Float, level: str, name: str, resample: str, confidence: float, replicates: int, seed: int
) -> _Found:
    """Of one table of scores and one of ratings [items, systems]."""
    x, y = rated_part(x, y)
    rows = int((~np.isnan(x)).sum())
    if name == "soft_accuracy":
        return _softly(x, y, rows, confidence, replicates, seed)
    kind = coefficient(name, x, y, level)
    value = estimate(x, y, kind, level)
    threshold = kind.epsilon if name == "accuracy_calibrated" else None
    if math.isnan(value.value):
        return _Found(value, rows, threshold=threshold)
    again = bootstrap(x, y, kind, level, resample=resample, replicates=replicates, seed=seed)
    null = shuffled(x, y, kind, level, replicates=replicates, seed=seed)
    return _Found(value, rows, *interval(again, confidence), p_value(value.value, null, kind.chance), threshold)


def _softly(x: Float, y: Float, rows: int, confidence: float, replicates: int, seed: int) -> _Found:
    p, q = (superiority(a, max(replicates, 1000), seed) for a in (x, y))
    value, systems = float(soft_accuracy(p, q)), len(p)
    if math.isnan(value):
        reason = "no two systems have an item in common" if rows else "no row has both a score and a rating"
        return _Found(Estimate(value, systems, 0, reason), rows)
    again, null = [np.empty(0)], [np.empty(0)]
    for _, index in drawn((1, systems), replicates, seed, "systems"):
        first, second = index[:, :, None], index[:, None, :]
        again.append(soft_accuracy(p[first, second], q[first, second], index.astype(np.int32)))
    for _, index in permuted((1, systems), replicates, seed):
        null.append(soft_accuracy(p[index[:, :, None], index[:, None, :]], q))
    low, high = interval(np.concatenate(again), confidence)
    return _Found(Estimate(value, systems, 0, None), rows, low, high, p_value(value, np.concatenate(null), None))


def contrast(
    table: ScoreTable,
    ratings: Corpus | ScoreTable | Column | Mapping[Any, Any],
    *,
    level: str = "item",
    coefficient: str = "pearson",
    aspects: Sequence[str] | None = None,
    test: str = "permutation",
    df: str = "n-3",
    correction: str = "holm",
    resample: str = "both",
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    intervals: bool = True,
) -> Contrasts:
    """Which metrics agree better with people than which: every pair of metrics, and the clusters that follow.

    test: 'permutation' (Perm-Both of Deutsch et al. 2021) or 'williams' (Pearson over systems or pooled rows only, `df`
    as in `nlgauge.meta.significance.williams`). correction, over an aspect's pairs: 'holm', 'benjamini_hochberg' or
    'none'. Interval: bootstrap of the difference, both metrics on the same resamples; left out without `intervals`. Two
    metrics differ, for the clusters, where the corrected p is below 1 - confidence. Raises InputError as `correlate`.
    """
    _check(level, coefficient, resample, confidence)
    if coefficient in SPECIAL:
        raise InputError(f"{coefficient} has no test of a difference", remedy=f"take {', '.join(COEFFICIENTS)}")
    if test not in ("permutation", "williams") or correction not in (*CORRECTIONS, "none"):
        raise InputError(
            f"test {test!r} with correction {correction!r}",
            remedy="permutation or williams; holm, benjamini_hochberg or none",
        )
    if test == "williams" and (coefficient != "pearson" or level == "item"):
        raise InputError("Williams' test is of Pearson over systems or pooled rows", remedy="take test='permutation'")
    place, rated, chosen = _joined(table, ratings, aspects)
    kind = COEFFICIENTS[coefficient]
    columns = {
        (spec, name): place.of(by_row(table, column, part))
        for spec, column in table.columns.items()
        for part, name in enumerate(column.parts)
        if column.level == "item" or level == "system"
    }
    records: list[Contrast] = []
    grouped: dict[str, dict[tuple[str, str], int]] = {}
    reached: dict[str, dict[tuple[str, str], float]] = {}
    for aspect in chosen:
        y = place.of(rated.values[aspect])
        values = [_value(x, y, kind, level) for x in columns.values()]
        # Of one metric, once for all others that have numbers for the same cells.
        resamples: dict[tuple[tuple[str, str], bytes], Float] = {}
        found = []
        for one, two in combinations(columns, 2):
            a, b, ratings_of = rated_part(columns[one], columns[two], y)
            if not a.size:
                found.append((one, two, math.nan, math.nan, math.nan, math.nan))
                continue
            if test == "williams":
                difference, p = _williams(a, b, ratings_of, level, df)
            else:
                samples = a, b, ratings_of
                if any(table.columns[spec].level == "system" for spec, _ in (one, two)):
                    # A metric of sets has no cells to exchange: whole systems change place (Perm-Systems there).
                    (x, y_means), (z, _) = means(a, ratings_of), means(b, ratings_of)
                    samples = x[None], z[None], y_means[None]
                difference, p = exchanged(*samples, kind, level, replicates=replicates, seed=seed)
            again = []
            cells = np.any([np.isnan(x) for x in (columns[one], columns[two], y)], axis=0).tobytes()
            for name, x in ((one, a), (two, b)):
                if (name, cells) not in resamples:
                    draws = replicates if intervals else 0
                    resamples[name, cells] = bootstrap(
                        x, ratings_of, kind, level, resample=resample, replicates=draws, seed=seed
                    )
                again.append(resamples[name, cells])
            found.append((one, two, difference, *interval(again[0] - again[1], confidence), p))
        p_values = [each[-1] for each in found]
        adjusted = CORRECTIONS[correction](p_values) if correction != "none" else np.asarray(p_values, float)
        names = list(columns)
        different: NDArray[np.bool_] = np.zeros((len(names), len(names)), bool)
        for (one, two, difference, low, high, p), corrected in zip(found, adjusted.tolist(), strict=True):
            records.append(Contrast(one, two, aspect, difference, low, high, p, corrected))
            i, j = names.index(one), names.index(two)
            different[i, j] = different[j, i] = corrected < 1 - confidence
        grouped[aspect] = dict(zip(names, clusters(values, different), strict=True))
        reached[aspect] = dict(zip(names, values, strict=True))
    return Contrasts(records, grouped, reached)


def _value(x: Float, y: Float, kind: Coefficient, level: str) -> float:
    x, y = rated_part(x, y)
    return estimate(x, y, kind, level).value


def _williams(x: Float, other: Float, y: Float, level: str, df: str) -> tuple[float, float]:
    if level == "system":
        (x, rated), (other, _) = means(x, y), means(other, y)
    else:
        rated = y
    known = ~(np.isnan(x) | np.isnan(other) | np.isnan(rated))
    n = int(known.sum())
    if n < 4:
        return math.nan, math.nan
    first, second, between = (
        float(correlation(a[known], b[known])) for a, b in ((x, rated), (other, rated), (x, other))
    )
    return first - second, williams(first, second, between, n, df).two_sided


def _check(level: str, name: str, resample: str, confidence: float) -> None:
    for what, given, known in (
        ("level", level, LEVELS), ("coefficient", name, (*COEFFICIENTS, *SPECIAL)), ("resample", resample, RESAMPLED)
    ):  # fmt: skip
        if given not in known:
            raise InputError(f"the {what} {given!r} is unknown", remedy=f"take {', '.join(known)}")
    if name == "soft_accuracy" and level != "system":
        raise InputError("soft_accuracy compares systems", remedy="take level='system'")
    if name == "accuracy_calibrated" and level == "pooled":
        raise InputError("accuracy_calibrated looks at all pairs of a sample", remedy="take level='item' or 'system'")
    if not 0 < confidence < 1:
        raise InputError(f"the confidence {confidence!r} is not between 0 and 1", remedy="0.95, for one")


def _joined(table: ScoreTable, source: object, aspects: Iterable[str] | None) -> tuple[Grid, Ratings, list[str]]:
    place, rated = grid(table), ratings(table, source)
    chosen = list(rated.values) if aspects is None else list(aspects)
    if unknown := [aspect for aspect in chosen if aspect not in rated.values]:
        raise InputError(f"nothing is rated for {unknown[0]!r}", remedy=f"rated are {', '.join(rated.values)}")
    return place, rated, chosen


def by_row(table: ScoreTable, column: Column, part: int) -> Float:
    """A number per row, bigger is better; a system's number for each of its rows, whose mean is that number again."""
    values = turned(column, part)
    if column.level == "item":
        return values
    number = dict(zip(table.systems, values.tolist(), strict=True))
    return np.array([number[system] for system, _ in table.rows])


def rated_part(*tables: Float) -> list[Float]:
    """Tables cut down to cells that all have, and to the items and systems that have such a cell."""
    known: NDArray[np.bool_] = np.all([~np.isnan(table) for table in tables], axis=0)
    cut = np.ix_(known.any(1), known.any(0))
    return [np.where(known, table, np.nan)[cut] for table in tables]
