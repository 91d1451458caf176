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
from nlgauge.render.tables import Cell, Number
from nlgauge.reports import figures
from nlgauge.stats.arrays import Float

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Histogram:
    """One system's outputs by one metric."""

    name: str
    """The spec of the metric"""
    system: str
    n: int
    """Rows with a finite value"""
    left_out: int
    """Rows without one"""
    quantiles: tuple[float, ...]
    """At 5, 25, 50, 75 and 95 %"""
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
        """Return a row a metric and system."""
        cells: list[list[Cell]] = [["metric", "system", "n", "5 %", "25 %", "50 %", "75 %", "95 %"]]
        for one in self.records:
            cells.append([one.name, one.system, Number(one.n, digits=0), *map(Number, one.quantiles)])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a panel a metric, a histogram a system, with a line at its median."""
        panels = {}
        for name, edges in self.edges.items():
            own = [one for one in self.records if one.name == name]
            middles = {one.system: one.quantiles[2] for one in own if one.n}
            panels[name] = figures.Histograms({one.system: one.shares for one in own}, edges, middles)
        figures.histograms(path, panels)


def spread(
    table: ScoreTable, *, metrics: Sequence[str] | None = None, every_part: bool = False, bins: int = 20
) -> Spread:
    """Return the distribution of each metric's scores of rows, by system.

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
            own = [_histogram(name, system, values[rows], ends) for system, rows in where.items()]
            records += own
            if count := sum(one.left_out for one in own):
                notes.append(f"{name}: {count} rows without a finite value left out")
    if not records:
        raise InputError("no metric of rows was chosen", remedy="corpus-level metrics have one number a system")
    return Spread(tuple(records), edges, tuple(notes))


def _histogram(name: str, system: str, values: Float, edges: Float) -> Histogram:
    known = values[np.isfinite(values)]
    counts, _ = np.histogram(known, edges)
    quantiles = np.quantile(known, _QUANTILES) if len(known) else np.full(len(_QUANTILES), math.nan)
    shares = counts / max(len(known), 1)
    return Histogram(
        name=name,
        system=system,
        n=len(known),
        left_out=len(values) - len(known),
        quantiles=tuple(quantiles.tolist()),
        shares=tuple(shares.tolist()),
    )


_SIGNS: dict[Mark, str] = {"": "", "best": "*", "alike": "~"}


@dataclass(frozen=True)
class Bar:
    """One system by one sub-score of a metric."""

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
    """By metric and part, then by system"""

    @property
    def names(self) -> list[str]:
        """What is measured, in order."""
        return list(dict.fromkeys(bar.name for bar in self.bars))

    def tables(self) -> list[list[list[Cell]]]:
        """Return a row a system, a column a metric."""
        cells: list[list[Cell]] = [["system", *self.names]]
        for system in self.systems:
            own = [bar for bar in self.bars if bar.score.system == system]
            numbers = [Number(bar.score.mean, bar.score.low, bar.score.high, mark=bar.mark) for bar in own]
            cells.append([system, *numbers])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a panel a metric, a bar a system."""
        panels = {}
        for name in self.names:
            own = [bar for bar in self.bars if bar.name == name]
            panels[name] = figures.Bars(
                [bar.score.mean for bar in own],
                [bar.score.low for bar in own],
                [bar.score.high for bar in own],
                [_SIGNS[bar.mark] for bar in own],
            )
        figures.bars(path, panels, self.systems)


def summary(table: ScoreTable, *, metrics: Sequence[str] | None = None, every_part: bool = False) -> Summary:
    """Return every system's value by each metric, with its interval, and which are best.

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
    found = by_part(table, scores, compared(table))
    bars = [
        Bar(
            directed(table, one.metric, one.part),
            one,
            found[one.metric, one.part].mark(one.system) if (one.metric, one.part) in found else "",
        )
        for one in scores
    ]
    return Summary(tuple(table.systems), tuple(bars))
