"""Is one system better than another, or is that noise: `compare` two systems of a table, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

import numpy as np

from nlgauge.cells.terminal import terminal
from nlgauge.errors import InputError
from nlgauge.markup.environment import number, p_value
from nlgauge.markup.small import small
from nlgauge.meta.arrays import Float, Mask
from nlgauge.meta.join import Grid, grid
from nlgauge.meta.paired import Paired, paired, paired_totals
from nlgauge.meta.selection import named
from nlgauge.table import Column, ScoreTable, Sums


@dataclass(frozen=True)
class Difference:
    """What one part of a metric says of systems A and B, on the items that both have."""

    metric: str
    part: str
    a: float
    """Mean of A, or its value of all items together (`whole`)"""
    b: float
    difference: float
    """A's less B's, in the metric's own direction"""
    low: float
    high: float
    p: float
    """That the two are alike, by approximate randomisation; two-sided"""
    effect: float
    """The difference in standard deviations of the items' differences"""
    n: int
    """Items with a number for both"""
    undefined: int
    """Items of both without"""
    needed: float
    """Items at which such a difference would be found in 80 % of studies, by normal approximation"""
    better: str | None
    """The system that the difference favours, however small; None where there is none, and for a detail"""
    reason: str | None
    """Why a number is missing"""
    whole: bool = False
    """a and b are values of all items together, as a corpus BLEU is, and not means"""


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `compare` found: a record per metric and score."""

    a: str
    b: str
    records: list[Difference]
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return "\n".join([f"{self.a} and {self.b}", *terminal([self._head, *map(_cells, self.records)]), *self.notes])

    def _repr_html_(self) -> str:
        return small(f"{self.a} and {self.b}", self._head, [_cells(one) for one in self.records], self.notes)

    @property
    def _head(self) -> list[str]:
        return ["metric", self.a, self.b, "difference", "p", "better"]


class _Options(TypedDict):
    confidence: float
    replicates: int
    seed: int
    power: float


def compare(
    table: ScoreTable,
    a: str,
    b: str,
    metric: object = None,
    *,
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    power: float = 0.8,
) -> Comparison:
    """The systems a and b by every score of the table, or by those of one metric.

    metric: its spec or name, or either with a part ("MarkEvaluate n"), which may be a detail: details have no better
    direction, and are compared where they are named only. Items join by name. Interval and p are those of
    `nlgauge.meta.paired.paired`, or `paired_totals` for a metric that has a value of all items together, and hold for
    each metric taken alone: ask ten metrics and one of them will find something. A metric of sets has a difference, and
    no more. Raises InputError for an unknown system or metric, duplicates, or no item in common.
    """
    if unknown := [system for system in (a, b) if system not in table.systems]:
        raise InputError(f"there is no system {unknown[0]!r}", remedy=f"there are {', '.join(table.systems)}")
    if a == b:
        raise InputError(f"{a!r} is one system", remedy="name two")
    parts = _wanted(table, metric)
    two = _Two(table, a, b)
    shared, alone = int(two.there.all(1).sum()), int((two.there.sum(1) == 1).sum())
    if not shared and any(table.columns[spec].level == "item" for spec, _ in parts):
        raise InputError(f"{a!r} and {b!r} have no item in common", remedy="give outputs for the same items one name")
    options = _Options(confidence=confidence, replicates=replicates, seed=seed, power=power)
    records = [_difference(two, spec, part, shared, options) for spec, part in parts]
    notes = [f"{alone} items have an output of one of the two only, and are left out"] if alone else []
    return Comparison(a, b, records, notes)


def _cells(one: Difference) -> list[str]:
    """For a notebook."""
    name = one.metric if one.part == "score" else f"{one.metric} {one.part}"
    interval = "" if math.isnan(one.low) else f" [{number(one.low)}, {number(one.high)}]"
    difference = number(one.difference) + interval
    return [name, number(one.a), number(one.b), difference, p_value(one.p), one.better or one.reason or "–"]


def _wanted(table: ScoreTable, metric: object) -> list[tuple[str, str]]:
    """(spec, part) of what is compared."""
    if metric is None:
        return [(spec, part) for spec, column in table.columns.items() for part in column.scores]
    spec, parts = named(table, str(metric))
    return [(spec, part) for part in parts]


class _Two:
    """Two systems of a table, and the place of each of their outputs."""

    def __init__(self, table: ScoreTable, a: str, b: str) -> None:
        self.table, self.names = table, (a, b)
        self._place: Grid = grid(table)
        self.numbers = [self._place.systems.index(system) for system in (a, b)]
        self.there: Mask = ~np.isnan(self.of(np.zeros(len(table.rows))))

    def of(self, values: Float) -> Float:
        """[rows] -> [items, 2], NaN where a system has no output."""
        return self._place.of(values)[:, self.numbers]


class _Measured(NamedTuple):
    """The test of a difference, the value of each of the two, and why a number is missing."""

    paired: Paired
    a: float
    b: float
    reason: str | None


def _difference(two: _Two, spec: str, part: str, shared: int, options: _Options) -> Difference:
    column = two.table.columns[spec]
    at = column.parts.index(part)
    undefined = 0
    if column.level == "system":
        measured = _of_sets(column, at, two.numbers)
    elif column.sums is not None:
        measured = _of_totals(np.stack([two.of(count) for count in column.sums.counts.T], -1), column.sums, at, options)
        undefined = shared - measured.paired.n
    else:
        measured = _of_means(two.of(column.values[:, at]), options)
        undefined = shared - measured.paired.n
    n, difference, low, high, p, effect, needed = measured.paired
    better = None if part in column.details else _better(difference, column, *two.names)
    return Difference(
        spec, part, measured.a, measured.b, difference, low, high, p, effect, n, undefined, needed, better,
        measured.reason, whole=column.sums is not None,
    )  # fmt: skip


def _of_means(values: Float, options: _Options) -> _Measured:
    """For values [items, 2]."""
    one, other = values.T
    with np.errstate(invalid="ignore"):
        differences = one - other
        known = ~np.isnan(differences)
    a, b = (float(each[known].mean()) if known.any() else math.nan for each in (one, other))
    return _Measured(paired(differences, **options), a, b, _why(differences[known]))


def _of_totals(counts: Float, sums: Sums, part: int, options: _Options) -> _Measured:
    """For counts [items, 2, counts]."""
    one, other = np.moveaxis(counts[~np.isnan(counts).any((1, 2))], 1, 0)

    def value(totals: Float) -> Float:
        return sums.value(totals[..., None, :])[..., part]

    measured = paired_totals(one, other, value, **options)
    if not measured.n:
        return _Measured(measured, math.nan, math.nan, "no item has a number for both")
    equal = "the two are equal on every item" if (one == other).all() else None
    reason = "one item only" if measured.n < 2 else equal
    return _Measured(measured, float(value(one.sum(0))), float(value(other.sum(0))), reason)


def _of_sets(column: Column, part: int, numbers: list[int]) -> _Measured:
    """For the values of whole systems, by their numbers."""
    one, other = column.values[numbers, part].tolist()
    missing = [column.reasons.get(at, "no number") for at in numbers if np.isnan(column.values[at, part])]
    reason = missing[0] if missing else "a metric of sets has one number a system: neither interval nor p"
    return _Measured(Paired(0, one - other), one, other, reason)


def _better(difference: float, column: Column, a: str, b: str) -> str | None:
    if math.isnan(difference) or difference == 0:
        return None
    return a if (difference > 0) == column.higher_is_better else b


def _why(differences: Float) -> str | None:
    if len(differences) < 2:
        return "one item only" if len(differences) else "no item has a number for both"
    if not np.isfinite(differences).all():
        return "a score is infinite"
    return None if differences.any() else "the two are equal on every item"
