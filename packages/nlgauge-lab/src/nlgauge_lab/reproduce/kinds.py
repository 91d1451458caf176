"""The kinds of published tables: agreement of metrics with people, or with each other, Williams' p, distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from nlgauge.answers.contrast import williams
from nlgauge.answers.correlate import correlate
from nlgauge.data.table import Column as Scores
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.ratings.join import grid, ratings, turned
from nlgauge.stats.arrays import Float
from nlgauge.stats.coefficients import correlation
from nlgauge.stats.correlation import means
from nlgauge_lab.reproduce.columns import only, part_of
from nlgauge_lab.reproduce.entries import Entries
from nlgauge_lab.reproduce.published import Column, Entry, Table
from nlgauge_lab.studies.distributions import scaled


@dataclass(frozen=True)
class Cell:
    """A published number and our number for the same cell, both in the unit in print."""

    published: float | None = None
    ours: float = math.nan
    reason: str | None = None
    """Why there is no number of ours"""

    @property
    def difference(self) -> float:
        """Our number minus the published one; NaN where one is missing."""
        return math.nan if self.published is None else self.ours - self.published


@dataclass(frozen=True)
class Block:
    """Columns that are shown together as one table: its title, the heads of the columns, and the cells of each row."""

    title: str
    heads: tuple[str, ...]
    rows: dict[str, tuple[Cell, ...]]
    samples: dict[str, Float] = field(default_factory=dict)
    """For 'distributions', the values of each row: from 0 to 1, larger is better"""


@dataclass(frozen=True)
class Rebuilt:
    """A published table together with our numbers."""

    table: Table
    blocks: list[Block]
    specs: dict[str, str]
    """By name of a row, the spec of our metric; the specs of all data sets with their names, if they differ"""
    facts: list[str]
    """Sentences about the data, the models, and other facts that the numbers depend on"""

    @property
    def cells(self) -> list[Cell]:
        """All cells, block by block and row by row."""
        return [cell for block in self.blocks for row in block.rows.values() for cell in row]

    @property
    def summary(self) -> str:
        """A sentence on how many published numbers were compared, and how close our numbers are."""
        published = [cell for cell in self.cells if cell.published is not None]
        both = [cell for cell in published if not math.isnan(cell.difference)]
        if not published:
            return f"{sum(not math.isnan(cell.ours) for cell in self.cells)} numbers; none is published"
        if not both:
            return f"0 of {len(published)} published numbers compared"
        half = 0.5 * 10**-self.table.digits
        same = sum(abs(cell.difference) <= half * (1 + 1e-9) for cell in both)
        # Tables print correlations times 100 or as they are: the summary of each is in the same unit.
        mean = float(np.mean([abs(cell.difference) for cell in both])) / self.table.scale
        return (
            f"{len(both)} of {len(published)} published numbers compared, {same} of them to the last digit in print; "
            f"{MEAN} {mean:.4f}"
        )


MEAN = "mean difference of correlations"
"""The words before the mean of |ours - published| in a summary, which is in correlations whatever the table's scale"""
_QUANTILES = (0, 10, 25, 50, 75, 90, 100)


def agreement(entries: Entries, table: Table) -> list[Block]:
    """Return the agreement of each row with the ratings of each aspect."""
    _check_rated(entries, table)
    cells: dict[tuple[int, str], Cell] = {}
    for data in table.data:
        numbers = [n for n, column in enumerate(table.columns) if column.data == data]
        tables = {entry.name: entries.cut(table, entry, data) for entry in table.rows if not entry.best}
        scored = {name: several for name, several in tables.items() if not isinstance(several, str)}
        values = _correlated(entries, table, data, scored)
        for entry in table.rows:
            if entry.best:
                for n in numbers:  # the largest number of some rows, which stand before this one
                    known = [cells[n, name] for name in entry.best]
                    best = max(known, key=lambda cell: -math.inf if math.isnan(cell.ours) else cell.ours)
                    cells[n, entry.name] = replace(best, published=_printed(entry, n))
                continue
            cut = tables[entry.name]
            refused = cut if isinstance(cut, str) else None
            for n in numbers:
                coefficients = values.get((entry.name, n), [])
                ours = float(np.mean([value for value, _ in coefficients])) if coefficients else math.nan
                reason = next((reason for _, reason in coefficients if reason), None)
                cells[n, entry.name] = Cell(_printed(entry, n), ours * table.scale, reason if coefficients else refused)
    blocks = []
    for title, together in _grouped(table.columns).items():
        heads = tuple(head for head, _ in together)
        rows = {entry.name: tuple(cells[n, entry.name] for _, n in together) for entry in table.rows}
        if table.average:
            heads, rows = (*heads, "average"), {name: (*row, _average(row)) for name, row in rows.items()}
        blocks.append(Block(title, heads, rows))
    return blocks


def _printed(entry: Entry, n: int) -> float | None:
    return entry.published[n] if entry.published else None


def _average(row: Sequence[Cell]) -> Cell:
    """Return the mean of a row, published and ours. If a number is missing, it is None (published) or NaN (ours)."""
    printed = [cell.published for cell in row if cell.published is not None]
    reason = next((cell.reason for cell in row if cell.reason), None)
    published = float(np.mean(printed)) if len(printed) == len(row) else None
    return Cell(published, float(np.mean([cell.ours for cell in row])), reason)


def between(entries: Entries, table: Table) -> list[Block]:
    """Return the Pearson correlation of each two rows, over the means of systems."""
    return _each_other(entries, table, "{}, systems' means ({})", _alike)


def williams_tests(entries: Entries, table: Table) -> list[Block]:
    """Return the p-value of Williams' test that a row correlates better with people than a column, for each aspect."""
    return _each_other(entries, table, "{}, {}", _better)


def _each_other(
    entries: Entries, table: Table, title: str, number: Callable[[_BySystem, str, str], float]
) -> list[Block]:
    """Return a number for each pair of rows, computed from the means of systems.

    Args:
        entries: scores the rows.
        table: the table.
        title: title of a block, with places for the data and the aspect.
        number: computes the number from the means and the names of two rows.
    """
    _check_rated(entries, table)
    blocks = []
    for data, aspect, _, _ in table.columns:
        one = _by_system(entries, table, data, aspect)
        heads = tuple(name for name in one.means if name not in one.reasons)
        rows = {
            name: tuple(Cell(None, number(one, name, other), one.reasons.get(name)) for other in heads)
            for name in one.means
        }
        blocks.append(Block(title.format(data, aspect.replace("_", " ")), heads, rows))
    return blocks


def distributions(entries: Entries, table: Table) -> list[Block]:
    """Return quantiles of each row's values, scaled from the least (0) to the greatest (1), where larger is better."""
    blocks: list[Block] = []
    for data in dict.fromkeys(column.data for column in table.columns):
        block = Block(data, tuple(f"{q} %" for q in _QUANTILES), {})
        for entry in table.rows:
            scored = entries.values(table, entry, data)
            known = None if isinstance(scored, str) else scaled(turned(part_of(only(scored), entry.part), 0))
            if known is None or not len(known):
                reason = scored if isinstance(scored, str) else "all values are alike"
                block.rows[entry.name] = (Cell(reason=reason),) * len(_QUANTILES)
                continue
            block.samples[entry.name] = known
            block.rows[entry.name] = tuple(Cell(ours=float(value)) for value in np.percentile(known, _QUANTILES))
        blocks.append(block)
    return blocks


MAKERS: Mapping[str, Callable[[Entries, Table], list[Block]]] = {
    "agreement": agreement,
    "sweep": agreement,
    "between": between,
    "williams": williams_tests,
    "distributions": distributions,
}


def _correlated(
    entries: Entries, table: Table, data: str, scored: Mapping[str, Sequence[ScoreTable]]
) -> dict[tuple[str, int], list[tuple[float, str | None]]]:
    """Return our coefficients for the rows and columns of a table, on one of its data sets.

    Rows whose score tables have the same systems and items are correlated in one call.

    Args:
        entries: has the rated data.
        table: the published table.
        data: the name of the data set.
        scored: by name of a row, its score tables.

    Returns:
        By name of a row and number of a column, the coefficient for each score table of the row, with the reason if it
        is NaN.
    """
    corpus = entries.data.corpus(table.data[data])
    asked: dict[tuple[str, str], dict[str, int]] = {}
    for n, column in enumerate(table.columns):
        if column.data == data:
            asked.setdefault((column.level, column.coefficient), {})[column.aspect] = n
    coefficients: dict[tuple[str, int], list[tuple[float, str | None]]] = {}
    for together in _together(scored):
        for (level, coefficient), numbers in asked.items():
            for agreed in correlate(
                together, corpus, level=level, coefficient=coefficient, aspects=list(numbers), replicates=0
            ):
                key = agreed.metric, numbers[agreed.aspect]
                coefficients.setdefault(key, []).append((agreed.value, agreed.reason))
    return coefficients


def _together(scored: Mapping[str, Sequence[ScoreTable]]) -> Iterator[ScoreTable]:
    """Yield score tables, each of which joins the columns of several score tables with the same systems and items.

    Args:
        scored: by name of a published row, its score tables. If several of them have the same systems and items, each
            goes into another joined table, because a name can occur once in a table.
    """
    stacks: dict[tuple[tuple[str, str], ...], list[dict[str, Scores]]] = {}
    for name, several in scored.items():
        for one in several:
            of_rows = stacks.setdefault(tuple(one.rows), [])
            free = next((stack for stack in of_rows if name not in stack), None)
            if free is None:
                of_rows.append(free := {})
            free[name] = one.columns[name]
    for rows, of_rows in stacks.items():
        yield from (ScoreTable(list(rows), columns, {}) for columns in of_rows)


class _BySystem(NamedTuple):
    means: dict[str, Float]
    """By row, the mean of each system: [systems]"""
    people: Float
    """Mean rating of each system: [systems]"""
    reasons: dict[str, str]
    """For each row without means, the reason"""


def _by_system(entries: Entries, table: Table, data: str, aspect: str) -> _BySystem:
    corpus = entries.data.corpus(table.data[data])
    nothing = np.full(len(corpus.systems), np.nan)
    found, people, reasons = {}, nothing, {}
    for entry in table.rows:
        scored = entries.values(table, entry, data)
        if isinstance(scored, str):
            found[entry.name], reasons[entry.name] = nothing, scored
            continue
        place, rated = grid(scored), ratings(scored, corpus)
        values = turned(part_of(only(scored), entry.part), 0)
        found[entry.name], people = means(place.of(values), place.of(rated.values[aspect]))
    return _BySystem(found, people, reasons)


def _check_rated(entries: Entries, table: Table) -> None:
    for column in table.columns:
        corpus = entries.data.corpus(table.data[column.data])
        if not any(column.aspect in row.scores for row in corpus):
            rated = ", ".join(dict.fromkeys(aspect for row in corpus for aspect in row.scores)) or "nothing"
            name = table.data[column.data][0].file
            raise InputError(f"{name}: no row is rated for {column.aspect!r}", remedy=f"rated is {rated}")


def _grouped(columns: Sequence[Column]) -> dict[str, list[tuple[str, int]]]:
    """Return the columns by the title of the block that shows them, each as (head, number of the column).

    If all columns have the same aspect, level and coefficient, there is one block, with a column for each data set.
    Otherwise there are blocks for each data set and level: one with a column for each aspect if all columns have the
    same coefficient, else one for each aspect, with a column for each coefficient.
    """
    grouped: dict[str, list[tuple[str, int]]] = {}
    if len(columns) > 1 and len({column[1:] for column in columns}) == 1:
        _, aspect, level, coefficient = columns[0]
        return {f"{aspect.replace('_', ' ')}, {coefficient}, {level}": [(c.data, n) for n, c in enumerate(columns)]}
    one_coefficient = len({column.coefficient for column in columns}) == 1
    for n, (data, aspect, level, coefficient) in enumerate(columns):
        named = aspect.replace("_", " ")
        title, head = (coefficient, named) if one_coefficient else (named, coefficient)
        grouped.setdefault(f"{data}, {title}, {level}", []).append((head, n))
    return grouped


def _alike(one: _BySystem, name: str, other: str) -> float:
    return float(correlation(one.means[name], one.means[other]))


def _better(one: _BySystem, name: str, other: str) -> float:
    """Return the p-value that one row correlates better with people than another.

    It is NaN for a metric and itself, and if there are fewer than four systems.
    """
    a, b, people = one.means[name], one.means[other], one.people
    if a is b or len(people) < 4:
        return math.nan
    first, second, mutual = (float(correlation(*pair)) for pair in ((a, people), (b, people), (a, b)))
    return williams(first, second, mutual, len(people)).p
