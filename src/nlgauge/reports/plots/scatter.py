"""Scores against ratings: a point for each row or system, and the share of good rows by score (reliability)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlgauge.answers.calibrate import Calibration, by_score, calibrate
from nlgauge.answers.rated_scores import Bin
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import directed
from nlgauge.errors import InputError, SpecError
from nlgauge.ratings.join import Source, grid, ratings
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Cells, Number
from nlgauge.stats.arrays import Float
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import estimate, means

_LEVELS = ("row", "system")


@dataclass(frozen=True)
class Points:
    """The points of one system."""

    system: str
    items: tuple[str, ...]
    """The item of each point; empty where the only point is the system"""
    x: tuple[float, ...]
    y: tuple[float, ...]
    pearson: float
    """Pearson's correlation of the points; NaN where it is undefined"""
    spearman: float


@dataclass(frozen=True)
class Scatter:
    """Two metrics, or a metric and ratings, of the same rows or systems, as a figure and as tables."""

    x: str
    y: str
    level: str
    groups: tuple[Points, ...]
    pearson: float
    """Pearson's correlation of the points of all systems; NaN where it is undefined"""
    spearman: float
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """Return tables: the correlations of the points, by system and of all; at system level the points too."""
        if self.level == "system":
            rows: list[list[Cell]] = [[group.system, Number(group.x[0]), Number(group.y[0])] for group in self.groups]
            points: list[list[list[Cell]]] = [[["system", self.x, self.y], *rows]]
        else:
            points = []
        cells: list[list[Cell]] = [[f"{self.x} | {self.y}", "points", "pearson", "spearman"]]
        for group in self.groups if self.level == "row" else ():
            cells.append([group.system, Number(len(group.x), digits=0), Number(group.pearson), Number(group.spearman)])
        count = Number(sum(len(group.x) for group in self.groups), digits=0)
        return [*points, [*cells, ["all", count, Number(self.pearson), Number(self.spearman)]]]

    def draw(self, path: Path) -> None:
        """Draw the points in the units of the metrics, with a colour for each system."""
        groups = {group.system: (group.x, group.y) for group in self.groups}
        figures.points(path, groups, self.x, self.y, named=self.level == "system")


def scatter(table: ScoreTable, x: str, y: str, source: Source | None = None, *, level: str = "row") -> Scatter:
    """Return the points of two metrics, or of a metric and an aspect of the ratings.

    Numbers are not turned so that larger is better. A metric where lower is better therefore has a negative correlation
    with ratings if it agrees with them.

    Args:
        table: the scores.
        x: a metric's spec or name, either with a sub-score ("BERTScore recall"), or an aspect of `source`.
        y: as `x`.
        source: ratings as `nlgauge.correlate` takes them.
        level: 'row', or 'system' for the systems' means over the rows that have both.

    Returns:
        The points, as a figure and as tables.

    Raises:
        SpecError: `x` or `y` is neither a metric nor an aspect.
        InputError: the level is unknown or does not fit, or no row has both values.
    """
    table = table.per_item()
    if level not in _LEVELS:
        raise InputError(f"the level {level!r} is unknown", remedy=f"take {' or '.join(_LEVELS)}")
    people = {} if source is None else ratings(table, source).values
    (across, x_values), (up, y_values) = (_axis(table, name, people, level) for name in (x, y))
    place = grid(table)
    xs, ys = place.of(x_values), place.of(y_values)
    finite = np.isfinite(xs) & np.isfinite(ys)
    notes = [] if finite.sum() == len(table.rows) else [f"{len(table.rows) - finite.sum()} rows without both left out"]
    if level == "system":
        xs, ys = (mean[None] for mean in means(np.where(finite, xs, np.nan), np.where(finite, ys, np.nan)))
        finite = np.isfinite(xs) & np.isfinite(ys)
    groups = []
    for number, system in enumerate(place.systems):
        rows = np.flatnonzero(finite[:, number])
        if len(rows):
            points = xs[rows, number], ys[rows, number]
            pearson, spearman = _correlations(*points)
            groups.append(
                Points(
                    system=system,
                    items=tuple(place.items[row] for row in rows) if level == "row" else (),
                    x=tuple(points[0].tolist()),
                    y=tuple(points[1].tolist()),
                    pearson=pearson,
                    spearman=spearman,
                )
            )
    if not groups:
        raise InputError(f"no row has both {x} and {y}", remedy="choose others")
    pearson, spearman = _correlations(xs[finite], ys[finite])
    return Scatter(
        x=across,
        y=up,
        level=level,
        groups=tuple(groups),
        pearson=pearson,
        spearman=spearman,
        notes=tuple(notes),
    )


def _axis(table: ScoreTable, name: str, people: dict[str, Float], level: str) -> tuple[str, Float]:
    """Return the label of an axis, and the value of each row on it.

    Args:
        table: the scores.
        name: a metric, with or without a sub-score, or a rated aspect.
        people: by aspect, the rating of each row: [rows].
        level: 'row' or 'system'. Only 'system' takes a corpus-level metric, with the system's value for each row.

    Raises:
        SpecError: the name is neither a metric nor an aspect.
        InputError: a corpus-level metric is given with the level 'row'.
    """
    try:
        spec, parts = table.named(name)
    except SpecError:
        if name in people:
            return f"{name} (people)", people[name]
        rated = f"; rated are {', '.join(people)}" if people else "; no ratings were given"
        raise SpecError(f"no metric {name!r} in the table; it has {', '.join(table.columns)}{rated}") from None
    column = table.columns[spec]
    values: Float = column.values[:, column.parts.index(parts[0])]
    if column.level == "system":
        if level != "system":
            raise InputError(f"{spec} has one number a system", remedy="take level 'system'")
        number = dict(zip(table.systems, values.tolist(), strict=True))
        values = np.array([number[system] for system, _ in table.rows])
    return directed(table, spec, parts[0]), values


def _correlations(x: Float, y: Float) -> tuple[float, float]:
    """Return the correlations by Pearson and Spearman; NaN where they are undefined."""
    kinds = (COEFFICIENTS[name] for name in ("pearson", "spearman"))
    first, second = (estimate(x[:, None], y[:, None], kind, "pooled").value for kind in kinds)
    return first, second


@dataclass(frozen=True)
class Reliability:
    """The share of good rows in each fifth of the rated rows, from the lowest scores to the highest."""

    metric: str
    aspect: str
    bins: tuple[Bin, ...]

    @classmethod
    def of(cls, calibration: Calibration) -> Reliability:
        """Return the fifths of the rated rows that a calibration holds."""
        return cls(calibration.metric, calibration.aspect, calibration.reliability)

    def tables(self) -> list[Cells]:
        """Return a table with a row for each fifth: ends and mean of its scores, its size, its share of good rows."""
        return [by_score(self.bins)]

    def draw(self, path: Path) -> None:
        """Draw the share of good rows against the mean score of each fifth, with a band for the intervals.

        The diagonal is drawn too, if all scores are from 0 to 1.

        Args:
            path: the path of the figure.
        """
        at = [fifth.mean for fifth in self.bins]
        good, low, high = zip(*(fifth.good for fifth in self.bins), strict=True)
        lines = {"rated rows": figures.Curve(at, good, low, high)}
        if all(fifth.low >= 0 and fifth.high <= 1 for fifth in self.bins):
            lines["share of good rows = score"] = figures.Curve((0, 1), (0, 1))
        across, up = "mean score of a fifth of the rated rows", f"share of good rows, {self.aspect}"
        figures.curves(path, {self.metric: lines}, across, up)


def reliability(
    table: ScoreTable,
    ratings: Source,
    *,
    metric: str | None = None,
    aspect: str | None = None,
    below: float | None = None,
) -> Reliability:
    """Return the table of `nlgauge.calibrate` as a figure. The errors that it raises are the same.

    Args:
        table: as `nlgauge.calibrate` takes it.
        ratings: as `nlgauge.calibrate` takes them.
        metric: as `nlgauge.calibrate` takes it.
        aspect: as `nlgauge.calibrate` takes it.
        below: as `nlgauge.calibrate` takes it.

    Returns:
        The fifths of the rated rows.
    """
    return Reliability.of(calibrate(table, ratings, metric=metric, aspect=aspect, below=below))
