"""Heat maps: how metrics agree with people and with each other, and how large the difference of every two systems is.

The matrix of correlations is figure 2 of the InfoLM paper (there: Pearson over the means of the abstractive systems).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from nlgauge.answers.compare import Difference, compare
from nlgauge.answers.correlate import Agreement, correlate
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.intervals import without_draws
from nlgauge.data.table.selection import directed, label, selected
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source, grid, ratings
from nlgauge.ratings.rated import by_row, rated_part
from nlgauge.reports import figures
from nlgauge.show.tables import Cell, Chance, Number
from nlgauge.stats.arrays import Float
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.corrections import holm
from nlgauge.stats.correlation import LEVELS, Estimate, estimate


@dataclass(frozen=True)
class AgreementMap:
    """The result of `agreement`. A positive number is agreement, also for a metric where lower is better."""

    metrics: tuple[str, ...]
    aspects: tuple[str, ...]
    records: tuple[Agreement, ...]
    """One for each metric and aspect, ordered by metric and then by aspect"""
    level: str
    coefficient: str
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """Return one table with a row for each metric and a column for each aspect."""
        cells: list[list[Cell]] = [[f"{self.coefficient}, {self.level}", *self.aspects]]
        for name, agreements in zip(self.metrics, self._rows(), strict=True):
            cells.append([name, *(Number(agreement.value, agreement.low, agreement.high) for agreement in agreements)])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a heat map."""
        values = [[agreement.value for agreement in agreements] for agreements in self._rows()]
        title = f"{self.coefficient}, {self.level} level"
        figures.heats(path, {title: figures.Heat(self.metrics, self.aspects, values)}, self.coefficient, (-1, 1))

    def _rows(self) -> list[tuple[Agreement, ...]]:
        width = len(self.aspects)
        return [self.records[at : at + width] for at in range(0, len(self.records), width)]


def agreement(
    table: ScoreTable,
    source: Source,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    level: str = "item",
    coefficient: str = "pearson",
    replicates: int = 1000,
    seed: int = 0,
) -> AgreementMap:
    """Return the agreement of each metric with each aspect of the ratings, as `nlgauge.correlate` computes it.

    Args:
        table: the scores.
        source: ratings as `nlgauge.correlate` takes them.
        metrics: as in `nlgauge.data.table.selection.selected`.
        every_part: as in `nlgauge.data.table.selection.selected`.
        level: as `nlgauge.correlate` takes it.
        coefficient: as `nlgauge.correlate` takes it.
        replicates: as `nlgauge.correlate` takes them.
        seed: as `nlgauge.correlate` takes it.

    Returns:
        The agreement, as a figure and as tables.

    Raises:
        InputError: as `nlgauge.correlate`.
    """
    chosen = selected(table, metrics, every_part)
    agreements = correlate(chosen, source, level=level, coefficient=coefficient, replicates=replicates, seed=seed)
    aspects = tuple(agreements.unrated)
    # selected() cuts parts off, and what a part is called is said by the whole table.
    names = [label(table, agreement.metric, agreement.part) for agreement in agreements.records[:: len(aspects)]]
    reasons = dict.fromkeys(
        f"{agreement.metric} {agreement.part}, {agreement.aspect}: {agreement.reason}"
        for agreement in agreements
        if agreement.reason
    )
    return AgreementMap(
        metrics=tuple(names),
        aspects=aspects,
        records=tuple(agreements.records),
        level=level,
        coefficient=coefficient,
        notes=(*agreements.notes, *reasons),
    )


_MOST = 2.0
"""The effect size at the ends of the scale of colours; larger effects have the same colour"""


@dataclass(frozen=True)
class Pair:
    """The comparison of two systems by one sub-score of a metric."""

    name: str
    """The name of the sub-score, with an arrow for the better direction"""
    a: str
    b: str
    difference: Difference
    up: bool
    """Whether higher is better"""
    adjusted: float
    """p, corrected by Holm for all pairs of systems by this metric"""


@dataclass(frozen=True)
class Pairwise:
    """The tests of every two systems, as a figure and as tables."""

    systems: tuple[str, ...]
    pairs: tuple[Pair, ...]
    significance: float
    notes: tuple[str, ...]

    def tables(self) -> list[list[list[Cell]]]:
        """Return one table with a row for each pair of systems and each sub-score."""
        cells: list[list[Cell]] = [["metric", "system", "against", "difference", "p", "corrected", "effect"]]
        for pair in self.pairs:
            difference = pair.difference
            numbers = [
                Number(difference.difference, difference.low, difference.high),
                Chance(difference.p),
                Chance(pair.adjusted),
            ]
            cells.append([pair.name, pair.a, pair.b, *numbers, Number(difference.effect, digits=2)])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a heat map for each metric. A cell compares the row's system with the column's.

        Its number is the mean of the row's system minus the mean of the column's, with a star where the difference is
        significant. Its colour is the effect size: blue where the row's system is better.

        Args:
            path: the path of the figure.
        """
        number = {system: n for n, system in enumerate(self.systems)}
        panels = {}
        for name in dict.fromkeys(pair.name for pair in self.pairs):
            values = [[math.nan] * len(number) for _ in number]
            labels = [[""] * len(number) for _ in number]
            for pair in (pair for pair in self.pairs if pair.name == name):
                sign = 1.0 if pair.up else -1.0
                difference, star = pair.difference, "*" if pair.adjusted < self.significance else ""
                for row, column, way in ((pair.a, pair.b, 1.0), (pair.b, pair.a, -1.0)):
                    i, j = number[row], number[column]
                    values[i][j] = float(np.clip(way * sign * difference.effect, -_MOST, _MOST))
                    labels[i][j] = _shown(way * difference.difference, star)
            panels[name] = figures.Heat(self.systems, self.systems, values, labels)
        what = "effect: the row's system is better (+) or worse (−)"
        figures.heats(path, panels, what, (-_MOST, _MOST))


def _shown(difference: float, star: str) -> str:
    if math.isnan(difference):
        return ""
    return f"{difference:+.3g}{star}" if difference else "0"


def pairwise(
    table: ScoreTable,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    significance: float = 0.05,
    replicates: int | None = None,
    seed: int | None = None,
) -> Pairwise:
    """Return the comparison of every two systems of a table by each metric, as `nlgauge.compare` makes it.

    Args:
        table: the scores.
        metrics: as in `nlgauge.data.table.selection.selected`; informational sub-scores are left out.
        every_part: as in `nlgauge.data.table.selection.selected`.
        significance: a difference has a star if its p, corrected by Holm for all pairs by one metric, is below this.
        replicates: without effect since version 0.2, and accepted for one version more.
        seed: without effect since version 0.2, and accepted for one version more.

    Returns:
        The pairs, as a figure and as tables.

    Raises:
        InputError: there are fewer than two systems; and as `nlgauge.compare`.
    """
    without_draws(replicates, seed)
    if len(table.systems) < 2:
        raise InputError("one system has nothing to be compared with", remedy="score outputs of another")
    pairs: list[Pair] = []
    notes: dict[str, None] = {}
    for spec, column in selected(table, metrics, every_part).columns.items():
        for part in column.parts:
            if part in table.columns[spec].details:
                continue
            differences = []
            for a, b in combinations(table.systems, 2):
                compared = compare(table, a, b, label(table, spec, part))
                differences += [(a, b, difference) for difference in compared]
                notes.update(dict.fromkeys(f"{a}, {b}: {note}" for note in compared.notes))
            adjusted = holm([difference.p for _, _, difference in differences]).tolist()
            name = directed(table, spec, part)
            pairs += [
                Pair(name=name, a=a, b=b, difference=difference, up=table.columns[spec].higher_is_better, adjusted=p)
                for (a, b, difference), p in zip(differences, adjusted, strict=True)
            ]
    if not pairs:
        raise InputError("no score was chosen", remedy="informational sub-scores have no better direction")
    return Pairwise(tuple(table.systems), tuple(pairs), significance, tuple(notes))


@dataclass(frozen=True)
class CorrelationMatrix:
    """The correlations of metrics and aspects of ratings, all turned so that larger is better."""

    names: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    """The correlations, [names, names]; NaN for a missing one"""
    n: tuple[tuple[int, ...], ...]
    """Number of rows (level pooled), items (item) or systems (system) that each value is taken over, [names, names]"""
    level: str
    coefficient: str
    reasons: dict[str, str]
    """Why a value is missing, by "name | name" of the pair"""

    @property
    def notes(self) -> list[str]:
        """Sentences on the pairs that have no value."""
        return [f"{pair}: no value: {reason}" for pair, reason in self.reasons.items()]

    def tables(self) -> list[list[list[Cell]]]:
        """Return one table, in which the head of a column is the number of the row with the same name."""
        numbers = [str(number) for number in range(1, len(self.names) + 1)]
        cells: list[list[Cell]] = [[f"{self.coefficient}, {self.level}", "", *numbers]]
        for number, name, row in zip(numbers, self.names, self.values, strict=True):
            cells.append([name, number, *(Number(value, digits=2) for value in row)])
        return [cells]

    def draw(self, path: Path) -> None:
        """Draw a heat map."""
        heat = figures.Heat(self.names, self.names, self.values)
        figures.heats(path, {f"{self.coefficient}, {self.level} level": heat}, self.coefficient, (-1, 1))


def correlation_matrix(
    table: ScoreTable,
    source: Source | None = None,
    *,
    metrics: Sequence[str] | None = None,
    every_part: bool = False,
    level: str = "system",
    coefficient: str = "pearson",
) -> CorrelationMatrix:
    """Return the correlation of every two metrics of a table (figure 2 of the InfoLM paper).

    Two metrics are correlated over the rows that have a value by both. Corpus-level metrics are correlated at the
    level 'system' only.

    Args:
        table: the scores.
        source: ratings as `nlgauge.correlate` takes them. Their aspects are correlated as the metrics are.
        metrics: as in `nlgauge.data.table.selection.selected`.
        every_part: as in `nlgauge.data.table.selection.selected`.
        level: as `nlgauge.correlate` takes it.
        coefficient: as `nlgauge.correlate` takes it.

    Returns:
        The correlations, [names, names], as a figure and as tables.

    Raises:
        InputError: the level or the coefficient is unknown, or the ratings do not fit the table.
    """
    table = table.per_item()
    if level not in LEVELS or coefficient not in COEFFICIENTS:
        names = f"{', '.join(LEVELS)}; {', '.join(COEFFICIENTS)}"
        raise InputError(f"level {level!r} with coefficient {coefficient!r}", remedy=f"take of {names}")
    table = selected(table, metrics, every_part)
    place, kind = grid(table), COEFFICIENTS[coefficient]
    cells: dict[str, Float] = {}
    for spec, column in table.columns.items():
        if column.level == "item" or level == "system":
            for part, name in enumerate(column.parts):
                cells[label(table, spec, name)] = place.of(by_row(table, column, part))
    if source is not None:
        cells.update({aspect: place.of(values) for aspect, values in ratings(table, source).values.items()})
    estimates: dict[tuple[str, str], Estimate] = {}
    for a, x in cells.items():
        for b, y in cells.items():
            first, other = rated_part(x, y)
            estimates[a, b] = estimate(first, other, kind, level)
    return CorrelationMatrix(
        names=tuple(cells),
        values=tuple(tuple(estimates[a, b].value for b in cells) for a in cells),
        n=tuple(tuple(estimates[a, b].n for b in cells) for a in cells),
        level=level,
        coefficient=coefficient,
        reasons={
            f"{a} | {b}": str(estimated.reason)
            for (a, b), estimated in estimates.items()
            if math.isnan(estimated.value)
        },
    )
