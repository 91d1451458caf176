"""Histograms of the scores of metrics and of people's ratings, each scaled to the range from 0 to 1.

Figures 3 and 9 of the InfoLM paper show these. The scores of a good metric spread as people's ratings spread. A metric
that gives nearly the same score to nearly all outputs cannot separate good ones from bad ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import label, selected
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source, ratings, turned
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number
from nlgauge.stats.arrays import Float

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Distribution:
    """The values of one metric or one aspect, scaled from 0 (the worst value that occurs) to 1 (the best)."""

    name: str
    n: int
    undefined: int
    """Rows without a value"""
    infinite: int
    """Rows with an infinite value, which has no position between 0 and 1"""
    low: float
    """The value that is scaled to 0, in the metric's own scale"""
    high: float
    """The value that is scaled to 1, in the metric's own scale"""
    shares: tuple[float, ...] = ()
    """Share of the rows in each bin"""
    quantiles: tuple[float, ...] = (math.nan,) * len(_QUANTILES)
    """Scaled values at 5, 25, 50, 75 and 95 %"""
    mean: float = math.nan
    deviation: float = math.nan
    distances: dict[str, float] = field(default_factory=dict)
    """By aspect, the Wasserstein-1 distance between this distribution and the distribution of the ratings, both scaled
    to the range from 0 to 1
    """
    reason: str | None = None
    """Why there is no distribution; None if there is one"""


@dataclass(frozen=True)
class Distributions:
    """The result of `distributions`."""

    records: tuple[Distribution, ...]
    edges: tuple[float, ...]
    """Ends of the bins: [bins + 1]"""

    @property
    def notes(self) -> list[str]:
        """Sentences on the values that were left out, and why."""
        notes = []
        for one in self.records:
            counts = ((one.undefined, "without a value"), (one.infinite, "with an infinite value"))
            notes += [f"{one.name}: {count} rows {what}, left out" for count, what in counts if count]
            notes += [f"{one.name}: {one.reason}"] if one.reason else []
        return notes

    def tables(self) -> list[list[list[Cell]]]:
        """Return the cells of a table for a terminal."""
        aspects = list(dict.fromkeys(aspect for one in self.records for aspect in one.distances))
        heads = ["5 %", "25 %", "50 %", "75 %", "95 %", "deviation", *(f"from {aspect}" for aspect in aspects)]
        cells: list[list[Cell]] = [["scaled to [0, 1]", "n", *heads]]
        for one in self.records:
            numbers = [*one.quantiles, one.deviation, *(one.distances.get(aspect, math.nan) for aspect in aspects)]
            cells.append([one.name, Number(one.n, digits=0), *(Number(x, digits=3) for x in numbers)])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a histogram for each metric and aspect, one below the other."""
        shown = {one.name: one.shares for one in self.records if one.reason is None}
        figures.histograms(
            path, {"": figures.Histograms(shown, self.edges)}, "from the worst value that occurs to the best"
        )


def distributions(
    table: ScoreTable,
    source: Source | None = None,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    bins: int = 40,
) -> Distributions:
    """Return the distribution of each metric's scores of rows (InfoLM's figures 3 and 9).

    The scale is turned where lower is better, as the paper turns its distances. Corpus-level metrics have no
    distribution and are left out.

    Args:
        table: the scores.
        source: ratings as `nlgauge.correlate` takes them. They are shown too, with their distance to each metric's
            scores.
        metrics, every_part: as in `nlgauge.data.table.selection.selected`.
        bins: number of bins, at least 2.

    Raises:
        InputError: there are fewer than 2 bins, or as `selected` raises it.
    """
    if bins < 2:
        raise InputError(f"{bins} bins show nothing", remedy="take 2 or more")
    table = selected(table, metrics, every_part)
    people = {} if source is None else ratings(table, source).values
    edges = np.linspace(0, 1, bins + 1)
    records = [_distribution(aspect, values, sign=1.0, edges=edges, people={}) for aspect, values in people.items()]
    of_people = {aspect: scaled(values) for aspect, values in people.items()}
    for spec, column in table.columns.items():
        if column.level == "item":
            sign = 1.0 if column.higher_is_better else -1.0
            for part, name in enumerate(column.parts):
                full = label(table, spec, name)
                records.append(_distribution(full, turned(column, part), sign=sign, edges=edges, people=of_people))
    return Distributions(tuple(records), tuple(edges.tolist()))


def scaled(values: Float) -> Float:
    """Return the finite values scaled to the range from 0 to 1, in ascending order.

    The result is empty if there are no two different values.
    """
    known = np.sort(values[np.isfinite(values)])
    spread = known[-1] - known[0] if len(known) else 0.0
    return (known - known[0]) / spread if spread > 0 else known[:0]


def _distribution(name: str, values: Float, sign: float, edges: Float, people: Mapping[str, Float]) -> Distribution:
    finite, unit = values[np.isfinite(values)], scaled(values)
    undefined, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    ends = (sign * float(finite.min()), sign * float(finite.max())) if len(finite) else (math.nan, math.nan)
    made = Distribution(name=name, n=len(finite), undefined=undefined, infinite=infinite, low=ends[0], high=ends[1])
    if not len(unit):
        return replace(made, reason="all values are one" if len(finite) else "no row has a finite value")
    shares = (np.histogram(unit, edges)[0] / len(unit)).tolist()
    quantiles = np.quantile(unit, _QUANTILES).tolist()
    distances = {aspect: _wasserstein(unit, other) for aspect, other in people.items() if len(other)}
    return replace(
        made,
        shares=tuple(shares),
        quantiles=tuple(quantiles),
        mean=float(unit.mean()),
        deviation=float(unit.std()),
        distances=distances,
    )


def _wasserstein(x: Float, y: Float) -> float:
    """Return the area between the empirical distribution functions of two samples, each in ascending order."""
    at = np.sort(np.concatenate([x, y]))
    gaps = [np.searchsorted(sample, at[:-1], side="right") / len(sample) for sample in (x, y)]
    return float((np.abs(gaps[0] - gaps[1]) * np.diff(at)).sum())
