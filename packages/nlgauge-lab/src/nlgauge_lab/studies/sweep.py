"""Metrics at many settings compared with people, all from one pass over the texts: what many studies share.

The setting that looks best here was chosen by the same ratings that judge it, so its number is too good. Choose a
setting on some items and report it on others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from nlgauge.answers.correlate import Agreement, correlate
from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table.selection import selected
from nlgauge.errors import InputError
from nlgauge.evaluation import evaluate
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Number


class Setting(NamedTuple):
    """One of the settings that are compared."""

    line: str
    """Name of the line that the setting belongs to. The settings of a line differ in the varying parameters alone"""
    values: dict[str, Any]
    """Values of the varying parameters"""
    metric: Metric
    part: str | None = None
    """The part of the metric; None is its first part"""


@dataclass(frozen=True)
class Point:
    """The agreement of one setting with one aspect."""

    line: str
    setting: dict[str, Any]
    agreement: Agreement


@dataclass(frozen=True)
class Sweep:
    """The result of a study of settings."""

    points: tuple[Point, ...]
    axes: tuple[str, ...]
    """Names of the varying parameters"""
    level: str
    rows: int
    items: int
    signatures: dict[str, Signature]
    notes: tuple[str, ...] = ()

    def of(self, line: str, aspect: str, coefficient: str) -> list[Point]:
        """Return the points of one line, in the order of the settings."""
        wanted = (line, aspect, coefficient)
        return [p for p in self.points if (p.line, p.agreement.aspect, p.agreement.coefficient) == wanted]

    def best(self, aspect: str, coefficient: str) -> Point | None:
        """Return the setting with the greatest agreement; None if none has a value."""
        points = [p for p in self.points if (p.agreement.aspect, p.agreement.coefficient) == (aspect, coefficient)]
        known = [point for point in points if not math.isnan(point.agreement.value)]
        return max(known, key=lambda point: point.agreement.value, default=None)

    @property
    def lines(self) -> list[str]:
        """The names of the lines, in order."""
        return list(dict.fromkeys(point.line for point in self.points))

    @property
    def aspects(self) -> list[str]:
        """The rated aspects, in order."""
        return list(dict.fromkeys(point.agreement.aspect for point in self.points))

    @property
    def coefficients(self) -> list[str]:
        """The coefficients of the agreement, in order."""
        return list(dict.fromkeys(point.agreement.coefficient for point in self.points))

    def tables(self) -> list[list[list[Cell]]]:
        """Return tables for a terminal, one for each coefficient.

        A table has a row for each setting and a column for each aspect. The best of each column is starred.
        """
        out = []
        for coefficient in self.coefficients:
            best = {aspect: self.best(aspect, coefficient) for aspect in self.aspects}
            cells: list[list[Cell]] = [[f"{coefficient}, {self.level}", *self.axes, *self.aspects]]
            for line in self.lines:
                for points in zip(*(self.of(line, aspect, coefficient) for aspect in self.aspects), strict=True):
                    shown = [str(points[0].setting.get(axis, "")) for axis in self.axes]
                    row: list[Cell] = [line, *shown]
                    for point in points:
                        one = point.agreement
                        mark: Literal["best", ""] = "best" if point is best[one.aspect] else ""
                        row.append(Number(one.value, one.low, one.high, digits=3, mark=mark))
                    cells.append(row)
            out.append(cells)
        return out

    def draw(self, path: Path) -> None:
        """Draw curves if one parameter varies, with a panel for each aspect.

        If two vary, draw a heat map for each line, aspect and coefficient.
        """
        if len(self.axes) == 1:
            figures.curves(
                path, self._curves(), across=self.axes[0], up="agreement with people", ticks=self._ticks(self.axes[0])
            )
            return
        down, across = (self._ticks(axis) for axis in self.axes)
        panels = {}
        for line in self.lines:
            for aspect in self.aspects:
                for name in self.coefficients:
                    values = [[math.nan] * len(across) for _ in down]
                    for point in self.of(line, aspect, name):
                        i, j = (str(point.setting.get(axis, "")) for axis in self.axes)
                        values[down.index(i)][across.index(j)] = point.agreement.value
                    heads = [[f"{axis} {tick}" for tick in self._ticks(axis)] for axis in self.axes]
                    panels[f"{line}: {aspect}, {name}"] = figures.Heat(heads[0], heads[1], values)
        figures.heats(path, panels, "agreement with people", colours="viridis")

    def _ticks(self, axis: str) -> list[str]:
        return list(dict.fromkeys(str(point.setting.get(axis, "")) for point in self.points))

    def _curves(self) -> dict[str, dict[str, figures.Curve]]:
        ticks = self._ticks(self.axes[0])
        panels: dict[str, dict[str, figures.Curve]] = {aspect: {} for aspect in self.aspects}
        for aspect, panel in panels.items():
            for line in self.lines:
                for name in self.coefficients:
                    points = self.of(line, aspect, name)
                    at = [float(ticks.index(str(point.setting.get(self.axes[0], "")))) for point in points]
                    # Bands of many curves would hide each other.
                    ends = points if len(self.lines) * len(self.coefficients) == 1 else []
                    several = (line if len(self.lines) > 1 else "", name if len(self.coefficients) > 1 else "")
                    panel[" ".join(filter(None, several)) or line] = figures.Curve(
                        at,
                        [point.agreement.value for point in points],
                        [point.agreement.low for point in ends],
                        [point.agreement.high for point in ends],
                    )
        return panels


def first_items(corpus: Corpus, items: int | None) -> Corpus:
    """Return the rows of the first items, with all systems of each.

    Args:
        corpus: the rows.
        items: number of items; None takes all.
    """
    if items is None:
        return corpus
    if items < 1:
        raise InputError(f"{items} items are none", remedy="take 1 or more")
    kept = set(list(dict.fromkeys(row.item for row in corpus))[:items])
    return Corpus(tuple(row for row in corpus if row.item in kept))


def sweep(
    corpus: Corpus,
    settings: Sequence[Setting],
    axes: Sequence[str],
    *,
    items: int | None = None,
    level: str = "system",
    coefficients: Sequence[str] = ("pearson",),
    aspects: Sequence[str] | None = None,
    resample: str = "both",
    replicates: int = 1000,
    seed: int = 0,
    notes: Sequence[str] = (),
    progress: bool = False,
    cache: bool | str | Path = True,
) -> Sweep:
    """Score a rated corpus at all settings and correlate each with people.

    Args:
        corpus: the rated rows.
        settings: the settings of metrics.
        axes: the parameters that differ between the settings.
        items: how many items to use, from the first; all by default.
        level: as in `nlgauge.correlate`.
        coefficients: as in `nlgauge.correlate`.
        aspects: as in `nlgauge.correlate`.
        resample: as in `nlgauge.correlate`.
        replicates: as in `nlgauge.correlate`.
        seed: as in `nlgauge.correlate`.
        notes: sentences for the reader of the result.
        progress: whether to show a progress bar.
        cache: as in `nlgauge.evaluate`.

    Returns:
        The correlations at each setting.

    Raises:
        InputError: nothing is rated, or as `nlgauge.evaluate` and `nlgauge.correlate` raise it.
    """
    rows = first_items(corpus, items)
    if not any(row.scores for row in rows):
        raise InputError("no row is rated", remedy="give rows with scores: {aspect: rating}")
    metrics = {str(setting.metric): setting.metric for setting in settings}
    table = evaluate(rows, metrics=list(metrics.values()), progress=progress, cache=cache)
    parts = [f"{s.metric} {s.part or s.metric.parts[0]}" for s in settings]
    kept = selected(table, parts)
    points: list[Point] = []
    told: dict[str, None] = dict.fromkeys(notes)
    for coefficient in coefficients:
        agreed = correlate(
            kept,
            rows,
            level=level,
            coefficient=coefficient,
            aspects=aspects,
            resample=resample,
            replicates=replicates,
            seed=seed,
        )
        told.update(dict.fromkeys(agreed.notes))
        for setting in settings:
            key = str(setting.metric), setting.part or setting.metric.parts[0]
            points += [
                Point(setting.line, dict(setting.values), one) for one in agreed if (one.metric, one.part) == key
            ]
    reasons = dict.fromkeys(f"{p.line}: {p.agreement.reason}" for p in points if p.agreement.reason)
    count = len({row.item for row in rows})
    return Sweep(
        points=tuple(points),
        axes=tuple(axes),
        level=level,
        rows=len(rows),
        items=count,
        signatures=table.signatures,
        notes=(*told, *reasons),
    )
