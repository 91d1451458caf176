"""How the scores of each system's outputs spread, in the metric's own unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.render.tables import Cell, Number
from nlgauge.reports import figures
from nlgauge.stats.arrays import Float
from nlgauge.stats.selection import directed, selected

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
    """What `spread` found."""

    records: tuple[Histogram, ...]
    edges: dict[str, tuple[float, ...]]
    """The edges of the bins, by metric"""
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """A row a metric and system."""
        cells: list[list[Cell]] = [["metric", "system", "n", "5 %", "25 %", "50 %", "75 %", "95 %"]]
        for one in self.records:
            cells.append([one.name, one.system, Number(one.n, digits=0), *map(Number, one.quantiles)])
        return [cells]

    def draw(self, path: Path) -> None:
        """A panel a metric, a histogram a system, with a line at its median."""
        panels = {}
        for name, edges in self.edges.items():
            own = [one for one in self.records if one.name == name]
            middles = {one.system: one.quantiles[2] for one in own if one.n}
            panels[name] = figures.Histograms({one.system: one.shares for one in own}, edges, middles)
        figures.histograms(path, panels)


def spread(
    table: ScoreTable, *, metrics: Sequence[str] | None = None, every_part: bool = False, bins: int = 20
) -> Spread:
    """The distribution of each metric's scores of rows, by system.

    metrics and every_part as in `nlgauge.stats.selection.selected`. Metrics of sets have no distribution and are left
    out, which a note says. Raises InputError where none is left, and for what the table does not hold.
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
        raise InputError("no metric of rows was chosen", remedy="metrics of sets have one number a system")
    return Spread(tuple(records), edges, tuple(notes))


def _histogram(name: str, system: str, values: Float, edges: Float) -> Histogram:
    known = values[np.isfinite(values)]
    counts, _ = np.histogram(known, edges)
    quantiles = np.quantile(known, _QUANTILES) if len(known) else np.full(len(_QUANTILES), math.nan)
    shares = counts / max(len(known), 1)
    return Histogram(
        name, system, len(known), len(values) - len(known), tuple(quantiles.tolist()), tuple(shares.tolist())
    )
