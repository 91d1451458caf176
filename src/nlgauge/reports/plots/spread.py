"""How the scores of each system are distributed, in the metric's own unit, and their means as bars with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlgauge.answers.best import Mark, by_part, compared
from nlgauge.data.table import ScoreTable, SystemScore
from nlgauge.data.table.selection import directed, selected
from nlgauge.errors import InputError
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number
from nlgauge.stats.arrays import Float

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Histogram:
    """The distribution of one system's scores by one sub-score of a metric."""

    name: str
    """The name of the sub-score, with an arrow for the better direction"""
    system: str
    n: int
    """Number of rows with a finite value"""
    left_out: int
    """Number of rows without a finite value"""
    quantiles: tuple[float, ...]
    """The quantiles of the scores at 5, 25, 50, 75 and 95 %"""
    shares: tuple[float, ...]
    """The share of the rows in each bin"""


@dataclass(frozen=True)
class Spread:
    """How the scores of each metric are distributed, by system."""

    records: tuple[Histogram, ...]
    edges: dict[str, tuple[float, ...]]
    """The edges of the bins, by metric"""
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """Return one table with a row for each metric and system."""
        cells: list[list[Cell]] = [["metric", "system", "n", "5 %", "25 %", "50 %", "75 %", "95 %"]]
        for histogram in self.records:
            cells.append(
                [histogram.name, histogram.system, Number(histogram.n, digits=0), *map(Number, histogram.quantiles)]
            )
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a panel for each metric, with a histogram for each system and a line at its median."""
        panels = {}
        for name, edges in self.edges.items():
            histograms = [histogram for histogram in self.records if histogram.name == name]
            middles = {histogram.system: histogram.quantiles[2] for histogram in histograms if histogram.n}
            panels[name] = figures.Histograms(
                {histogram.system: histogram.shares for histogram in histograms}, edges, middles
            )
        figures.histograms(path, panels)


def spread(
    table: ScoreTable, *, metrics: Sequence[str] | None = None, every_part: bool = False, bins: int = 20
) -> Spread:
    """Return the distribution of the rows' scores, for each metric and system.

    Args:
        table: the scores. Corpus-level metrics have no distribution and are left out, which a note says.
        metrics: as in `nlgauge.data.table.selection.selected`.
        every_part: as in `nlgauge.data.table.selection.selected`.
        bins: how many bins a histogram has, 2 or more.

    Returns:
        The histograms, as a figure and as tables.

    Raises:
        InputError: no metric of rows is left, the table does not hold what is named, or the bins are fewer than 2.
    """
    if bins < 2:
        raise InputError(f"{bins} bins show nothing", remedy="take 2 or more")
    chosen = selected(table, metrics, every_part)
    where = {system: table.rows_of(system) for system in table.systems}
    records: list[Histogram] = []
    edges: dict[str, tuple[float, ...]] = {}
    notes: list[str] = []
    for spec, column in chosen.columns.items():
        if column.level == "system":
            notes.append(f"{spec} has one number a system, and no distribution")
            continue
        for part, values in zip(column.parts, column.values.T, strict=True):
            name = directed(table, spec, part)
            ends = np.histogram_bin_edges(values[np.isfinite(values)], bins)
            edges[name] = tuple(ends.tolist())
            histograms = [_histogram(name, system, values[rows], ends) for system, rows in where.items()]
            records += histograms
            if count := sum(histogram.left_out for histogram in histograms):
                notes.append(f"{name}: {count} rows without a finite value left out")
    if not records:
        raise InputError("no metric of rows was chosen", remedy="corpus-level metrics have one number a system")
    return Spread(tuple(records), edges, tuple(notes))


def _histogram(name: str, system: str, values: Float, edges: Float) -> Histogram:
    finite = values[np.isfinite(values)]
    counts, _ = np.histogram(finite, edges)
    quantiles = np.quantile(finite, _QUANTILES) if len(finite) else np.full(len(_QUANTILES), math.nan)
    shares = counts / max(len(finite), 1)
    return Histogram(
        name=name,
        system=system,
        n=len(finite),
        left_out=len(values) - len(finite),
        quantiles=tuple(quantiles.tolist()),
        shares=tuple(shares.tolist()),
    )


_SIGNS: dict[Mark, str] = {"": "", "best": "*", "alike": "~"}


@dataclass(frozen=True)
class Bar:
    """The mean of one system by one sub-score of a metric."""

    name: str
    """Metric and sub-score, with an arrow that says which way is better"""
    score: SystemScore
    mark: Mark
    """'best'; 'alike': it does not differ significantly from the best (paired test, corrected by Holm)"""


@dataclass(frozen=True)
class Summary:
    """The mean of each system by each metric, with its interval."""

    systems: tuple[str, ...]
    bars: tuple[Bar, ...]
    """One for each sub-score and system, ordered by metric, sub-score and system"""

    @property
    def names(self) -> list[str]:
        """The names of the sub-scores, in their order."""
        return list(dict.fromkeys(bar.name for bar in self.bars))

    def tables(self) -> list[list[list[Cell]]]:
        """Return one table with a row for each system and a column for each metric."""
        cells: list[list[Cell]] = [["system", *self.names]]
        for system in self.systems:
            bars = [bar for bar in self.bars if bar.score.system == system]
            numbers = [Number(bar.score.mean, bar.score.low, bar.score.high, mark=bar.mark) for bar in bars]
            cells.append([system, *numbers])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a panel for each metric, with a bar for each system."""
        panels = {}
        for name in self.names:
            bars = [bar for bar in self.bars if bar.name == name]
            panels[name] = figures.Bars(
                [bar.score.mean for bar in bars],
                [bar.score.low for bar in bars],
                [bar.score.high for bar in bars],
                [_SIGNS[bar.mark] for bar in bars],
            )
        figures.bars(path, panels, self.systems)


def summary(table: ScoreTable, *, metrics: Sequence[str] | None = None, every_part: bool = False) -> Summary:
    """Return the value of every system by each metric, with its interval and with marks for the best systems.

    Args:
        table: the scores.
        metrics: as in `nlgauge.data.table.selection.selected`.
        every_part: as in `nlgauge.data.table.selection.selected`.

    Returns:
        The values, as a figure and as tables.

    Raises:
        InputError: the table does not hold what is named.
    """
    chosen = selected(table, metrics, every_part)
    scores = [
        score
        for score in table.by_system()
        if score.metric in chosen.columns and score.part in chosen.columns[score.metric].parts
    ]
    leaders = by_part(table, scores, compared(table))
    bars = [
        Bar(
            directed(table, score.metric, score.part),
            score,
            leaders[score.metric, score.part].mark(score.system) if (score.metric, score.part) in leaders else "",
        )
        for score in scores
    ]
    return Summary(tuple(table.systems), tuple(bars))
