"""Is one system better than another, or is that noise: `compare` two systems of a table, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from nlgauge.errors import InputError
from nlgauge.meta.correlation import Float
from nlgauge.meta.join import grid
from nlgauge.meta.significance import Paired, paired, paired_totals
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
    """The system that the difference favours, however small; None where there is none"""
    reason: str | None
    """Why a number is missing"""
    whole: bool = False
    """a and b are values of all items together, as a corpus BLEU is, and not means"""


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: a record per metric and part."""

    a: str
    b: str
    records: list[Difference]
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)


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
    """The systems a and b by every metric of the table, or by one (its spec or name).

    Items join by name. Interval and p are those of `nlgauge.meta.significance.paired`, or `paired_totals` for a metric
    that has a value of all items together, and hold for each metric taken
    alone: ask ten metrics and one of them will find something. A metric of sets has a difference, and no more.
    Raises InputError for an unknown system or metric, duplicates, or no item in common.
    """
    if unknown := [system for system in (a, b) if system not in table.systems]:
        raise InputError(f"there is no system {unknown[0]!r}", remedy=f"there are {', '.join(table.systems)}")
    if a == b:
        raise InputError(f"{a!r} is one system", remedy="name two")
    try:
        specs = table.metrics if metric is None else [table.find(metric)]
    except KeyError as error:
        raise InputError(str(error.args[0]), remedy="give --metric as the table has it") from None
    place = grid(table)
    columns = [place.systems.index(system) for system in (a, b)]
    there = ~np.isnan(place.of(np.zeros(len(table.rows))))[:, columns]
    shared, alone = int(there.all(1).sum()), int((there.sum(1) == 1).sum())
    if not shared and any(table.columns[spec].level == "item" for spec in specs):
        raise InputError(f"{a!r} and {b!r} have no item in common", remedy="give outputs for the same items one name")
    options = _Options(confidence=confidence, replicates=replicates, seed=seed, power=power)
    records = []
    for spec in specs:
        column = table.columns[spec]
        for part, name in enumerate(column.parts):
            if column.level == "system":
                records.append(_of_sets(spec, name, column, part, columns, (a, b)))
                continue
            if column.sums is not None:
                counts = np.stack([place.of(count)[:, columns] for count in column.sums.counts.T], -1)
                found, (mean_a, mean_b, why) = _of_totals(counts, column.sums, part, options)
                better = _better(found.difference, column, a, b)
                records.append(
                    Difference(
                        spec, name, mean_a, mean_b, found.difference, found.low, found.high, found.p, found.effect,
                        found.n, shared - found.n, found.needed, better, why, whole=True,
                    )
                )  # fmt: skip
                continue
            one, two = place.of(column.values[:, part])[:, columns].T
            with np.errstate(invalid="ignore"):
                differences = one - two
                known = ~np.isnan(differences)
            found = paired(differences, **options)
            mean_a, mean_b = (float(values[known].mean()) if known.any() else math.nan for values in (one, two))
            records.append(
                Difference(
                    spec, name, mean_a, mean_b, found.difference, found.low, found.high, found.p, found.effect, found.n,
                    shared - found.n, found.needed, _better(found.difference, column, a, b), _why(differences[known]),
                )
            )  # fmt: skip
    notes = [f"{alone} items have an output of one of the two only, and are left out"] if alone else []
    return Comparison(a, b, records, notes)


def _of_totals(
    counts: Float, sums: Sums, part: int, options: _Options
) -> tuple[Paired, tuple[float, float, str | None]]:
    """Of counts [items, 2, counts]: the comparison, both values, and why a number is missing."""
    one, other = np.moveaxis(counts[~np.isnan(counts).any((1, 2))], 1, 0)

    def value(totals: Float) -> Float:
        return sums.value(totals[..., None, :])[..., part]

    found = paired_totals(one, other, value, **options)
    if not found.n:
        return found, (math.nan, math.nan, "no item has a number for both")
    reason = "one item only" if found.n < 2 else "the two are equal on every item" if (one == other).all() else None
    return found, (float(value(one.sum(0))), float(value(other.sum(0))), reason)


def _of_sets(
    spec: str, name: str, column: Column, part: int, places: list[int], systems: tuple[str, str]
) -> Difference:
    one, two = column.values[places, part].tolist()
    missing = [column.reasons.get(place, "no number") for place in places if np.isnan(column.values[place, part])]
    reason = missing[0] if missing else "a metric of sets has one number a system: neither interval nor p"
    better = _better(one - two, column, *systems)
    nan = math.nan
    return Difference(spec, name, one, two, one - two, nan, nan, nan, nan, 0, 0, nan, better, reason)


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
