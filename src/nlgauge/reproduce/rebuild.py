"""A published table made again: its metrics of ours on its data by its protocol, every number beside the published."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge import registry
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, SpecError
from nlgauge.meta.agreement import correlate
from nlgauge.meta.correlation import correlation, means
from nlgauge.meta.join import grid, join, ratings, turned
from nlgauge.meta.significance import williams
from nlgauge.metrics.base import Metric
from nlgauge.reproduce.published import Column, Entry, Table
from nlgauge.reproduce.rated import VIEWS, Data
from nlgauge.reproduce.scores import Store, refusal
from nlgauge.table import Column as Scores
from nlgauge.table import ScoreTable

Float = NDArray[np.float64]
_QUANTILES = (0, 10, 25, 50, 75, 90, 100)


@dataclass(frozen=True)
class Cell:
    """One number, published and ours, in the unit in print."""

    published: float | None = None
    ours: float = math.nan
    reason: str | None = None
    """Why there is none of ours"""

    @property
    def difference(self) -> float:
        """Ours minus published; NaN where one is missing."""
        return math.nan if self.published is None else self.ours - self.published


@dataclass(frozen=True)
class Block:
    """Columns that stand together: one data set, aspect and level."""

    title: str
    heads: tuple[str, ...]
    rows: dict[str, tuple[Cell, ...]]


@dataclass(frozen=True)
class Rebuilt:
    """A table with ours in it."""

    table: Table
    blocks: list[Block]
    specs: dict[str, str]
    """By row: the spec of ours, with the data's name where rows have several"""
    facts: list[str]
    """Rows, models, and what else the numbers depend on"""
    samples: dict[str, dict[str, Float]] = field(default_factory=dict)
    """Of 'distributions', by data and row: the values, from 0 to 1, larger better"""

    @property
    def cells(self) -> list[Cell]:
        """All, row by row."""
        return [cell for block in self.blocks for row in block.rows.values() for cell in row]

    @property
    def summary(self) -> str:
        """How much was rebuilt, and how near it is."""
        published = [cell for cell in self.cells if cell.published is not None]
        both = [cell for cell in published if not math.isnan(cell.difference)]
        if not published:
            return f"{sum(not math.isnan(cell.ours) for cell in self.cells)} numbers; none is published"
        if not both:
            return f"0 of {len(published)} published numbers rebuilt"
        half = 0.5 * 10**-self.table.digits
        same = sum(abs(cell.difference) <= half * (1 + 1e-9) for cell in both)
        mean = float(np.mean([abs(cell.difference) for cell in both]))
        return (
            f"{len(both)} of {len(published)} published numbers rebuilt, {same} of them to the last digit in print; "
            f"mean difference {mean:.{self.table.digits}f}"
        )


class _Column(NamedTuple):
    """A row's values on one of the table's data."""

    corpora: tuple[Corpus, ...]
    metric: Metric


class Rebuilder:
    """Rebuilds tables from rated data; scores are kept in a store. metrics: names or specs, no others are scored."""

    def __init__(self, data: Data, store: Store, model: str | None = None, metrics: Sequence[str] = ()) -> None:
        self._data, self._store, self._model, self._only = data, store, model, tuple(metrics)
        self._views: dict[tuple[str, str], tuple[Corpus, ...]] = {}
        self._offered: set[str] = set()
        self._met: set[str] = set()

    def score(self, tables: Sequence[Table]) -> None:
        """Score what the tables need: cheap metrics of all tables first, what shares texts in one pass."""
        if missing := self._data.missing([name for table in tables for name in table.files]):
            remedy = "docs/reproduce.md says what they hold; leave out the tables that need them"
            raise InputError(f"there is no {missing[0]}.jsonl in {self._data.folder}", remedy=remedy)
        wanted: dict[str, tuple[Corpus, str, dict[str, Metric]]] = {}
        for table in tables:
            for entry in table.rows:
                for data in table.data:
                    found = self._column(table, entry, data)
                    if isinstance(found, str):
                        continue
                    label = "+".join(source.file for source in table.data[data])
                    for corpus in found.corpora:
                        _, _, metrics = wanted.setdefault(corpus.digest, (corpus, label, {}))
                        metrics[str(found.metric)] = found.metric
        if unused := [name for name in self._only if name not in self._met]:
            known = ", ".join(sorted(self._offered))
            raise SpecError(f"--metrics {unused[0]}: no row that is asked for has it; there are {known}")
        self._store.fill([(corpus, label, list(metrics.values())) for corpus, label, metrics in wanted.values()])

    def rebuild(self, table: Table) -> Rebuilt:
        """A table, from what `score` has scored."""
        blocks, samples = _KINDS[table.kind](self, table)
        specs: dict[str, str] = {}
        for entry in table.rows:
            own = {data: spec for data in table.data if (spec := entry.on(data, self._model)) is not None}
            if own:
                single = len(set(own.values())) == 1
                specs[entry.name] = (
                    next(iter(own.values())) if single else "; ".join(f"{data}: {spec}" for data, spec in own.items())
                )
        return Rebuilt(table, blocks, specs, self._facts(table), samples)

    # ---- Which metric on which rows

    def _column(self, table: Table, entry: Entry, data: str) -> _Column | str:
        """What to score for a row; or why there is nothing."""
        if entry.why is not None:
            return entry.why
        spec = entry.on(data, self._model)
        if spec is None:
            return "not of these data"
        try:
            metric = registry.metric(spec, model=self._model, **table.defaults)
        except SpecError as error:
            return refusal(error)
        self._offered.add(type(metric).__name__)
        meant = {type(metric).__name__, spec, str(metric)}.intersection(self._only)
        self._met |= meant
        if self._only and not meant:
            return "left out by --metrics"
        corpora = self._view(table, entry.view or table.view, data)
        return _Column(corpora, metric) if corpora else "no row has the texts for it"

    def _view(self, table: Table, view: str, data: str) -> tuple[Corpus, ...]:
        corpus = self._data.corpus(table.data[data])
        key = corpus.digest, view
        if key not in self._views:
            self._views[key] = tuple(some for some in VIEWS[view].of(corpus) if len(some))
        return self._views[key]

    def _values(self, table: Table, entry: Entry, data: str) -> ScoreTable | str:
        """A table of one column named after the row, the mean over the view's corpora; or why there is none."""
        if entry.sum:
            parts = [self._values(table, _named(table, name), data) for name in entry.sum]
            if wrong := [part for part in parts if isinstance(part, str)]:
                return wrong[0]
            tables = [part for part in parts if isinstance(part, ScoreTable)]
            total = np.sum([turned(next(iter(one.columns.values())), 0) for one in tables], axis=0)
            return _single(tables[0].rows, entry.name, total)
        corpus = self._data.corpus(table.data[data])
        rows = [(row.system, row.item) for row in corpus]
        if entry.rating is not None:
            empty = ScoreTable(rows, {}, {})
            return join(empty, entry.name, corpus, column=f"scores.{entry.rating}")
        found = self._scored(table, entry, data)
        if isinstance(found, str):
            return found
        columns = [one.columns[spec] for one in found for spec in one.columns]
        if len(found) == 1 and found[0].rows == rows:
            return ScoreTable(rows, {entry.name: columns[0]}, {})
        part = columns[0].parts.index(entry.part) if entry.part else 0
        place = {key: n for n, key in enumerate(rows)}
        values = np.full((len(found), len(rows)), np.nan)
        for number, (one, column) in enumerate(zip(found, columns, strict=True)):
            values[number, [place[key] for key in one.rows]] = turned(column, part)
        known = ~np.isnan(values)
        total = np.where(known, values, 0).sum(axis=0)
        mean = np.divide(total, known.sum(axis=0), out=np.full(len(rows), np.nan), where=known.any(axis=0))
        return _single(rows, entry.name, mean)

    def _scored(self, table: Table, entry: Entry, data: str) -> list[ScoreTable] | str:
        """The metric's column on each corpus of the view."""
        found = self._column(table, entry, data)
        if isinstance(found, str):
            return found
        out = [_defined(self._store.table(corpus, [found.metric]), entry.undefined) for corpus in found.corpora]
        for corpus, one in zip(found.corpora, out, strict=True):
            if not one.columns:
                return self._store.why(corpus, found.metric)
        if entry.part and entry.part not in next(iter(out[0].columns.values())).parts:
            return f"{found.metric} has no part {entry.part!r}"
        return out

    def _facts(self, table: Table) -> list[str]:
        facts: list[str] = []
        models: dict[str, None] = {}
        for data in table.data:
            corpus = self._data.corpus(table.data[data])
            items = len({row.item for row in corpus})
            name = " + ".join(source.file for source in table.data[data])
            facts.append(f"{data}: {len(corpus)} rows of {name}, {items} items, {len(corpus.systems)} systems")
            for entry in table.rows:
                found = self._scored(table, entry, data) if entry.spec or entry.own else "nothing"
                for one in found if not isinstance(found, str) else ():
                    for signature in one.signatures.values():
                        models[signature.partition("|model:")[2].partition("|")[0]] = None
        if self._data.limit is not None:
            facts.append(f"only the first {self._data.limit} items: these are not the table's numbers")
        if names := [name for name in models if name]:
            facts.append(f"scored on {', '.join(names)}")
        return facts

    # ---- Kinds of tables

    def agreement(self, table: Table) -> tuple[list[Block], dict[str, dict[str, Float]]]:
        """Of each row with each aspect."""
        self._check(table)
        cells: dict[tuple[int, str], Cell] = {}
        for data in table.data:
            numbers = [n for n, column in enumerate(table.columns) if column.data == data]
            found = {entry.name: self._tables(table, entry, data) for entry in table.rows}
            values = self._correlated(
                table, data, {name: one for name, one in found.items() if not isinstance(one, str)}
            )
            for entry in table.rows:
                for n in numbers:
                    own = values.get((entry.name, n), [])
                    ours = float(np.mean([value for value, _ in own])) if own else math.nan
                    why = found[entry.name] if not own else next((reason for _, reason in own if reason), None)
                    published = entry.published[n] if entry.published else None
                    cells[n, entry.name] = Cell(published, ours * table.scale, str(why) if why else None)
        blocks: list[Block] = []
        for title, together in _grouped(table.columns).items():
            heads = tuple(head for head, _ in together)
            rows = {entry.name: tuple(cells[n, entry.name] for _, n in together) for entry in table.rows}
            blocks.append(Block(title, heads, rows))
        return blocks, {}

    def _tables(self, table: Table, entry: Entry, data: str) -> list[ScoreTable] | str:
        """Tables of the one column of a row, whose correlations are averaged: most often a single one."""
        if VIEWS[entry.view or table.view].mean_of == "correlations" and entry.spec is not None:
            found = self._scored(table, entry, data)
        else:
            single = self._values(table, entry, data)
            found = single if isinstance(single, str) else [single]
        if isinstance(found, str):
            return found
        return [without(_part(one, entry.name, entry.part), entry.without) for one in found]

    def _correlated(
        self, table: Table, data: str, found: Mapping[str, Sequence[ScoreTable]]
    ) -> dict[tuple[str, int], list[tuple[float, str | None]]]:
        """By row and column: the coefficients, each with the reason why it is NaN. Rows of like tables go together."""
        corpus = self._data.corpus(table.data[data])
        together: dict[tuple[tuple[str, str], ...], list[dict[str, Scores]]] = {}
        for name, several in found.items():
            for one in several:
                stacks = together.setdefault(tuple(one.rows), [])
                free = next((stack for stack in stacks if name not in stack), None)
                if free is None:
                    stacks.append(free := {})
                free[name] = one.columns[name]
        asked: dict[tuple[str, str], dict[str, int]] = {}
        for n, column in enumerate(table.columns):
            if column.data == data:
                asked.setdefault((column.level, column.coefficient), {})[column.aspect] = n
        out: dict[tuple[str, int], list[tuple[float, str | None]]] = {}
        for rows, stacks in together.items():
            for columns in stacks:
                for (level, coefficient), numbers in asked.items():
                    for agreed in correlate(
                        ScoreTable(list(rows), columns, {}), corpus, level=level, coefficient=coefficient,
                        aspects=list(numbers), replicates=0,
                    ):  # fmt: skip
                        out.setdefault((agreed.metric, numbers[agreed.aspect]), []).append(
                            (agreed.value, agreed.reason)
                        )
        return out

    def between(self, table: Table) -> tuple[list[Block], dict[str, dict[str, Float]]]:
        """Pearson correlation of the rows with each other, of systems' means."""
        blocks = []
        for data, aspect, systems, reasons in self._by_system(table):
            names = tuple(entry.name for entry in table.rows if entry.name not in reasons)
            rows = {
                name: tuple(
                    Cell(ours=float(correlation(systems[name], systems[other])), reason=reasons.get(name))
                    for other in names
                )
                for name in (entry.name for entry in table.rows)
            }
            blocks.append(Block(f"{data}, systems' means ({aspect.replace('_', ' ')})", names, rows))
        return blocks, {}

    def williams(self, table: Table) -> tuple[list[Block], dict[str, dict[str, Float]]]:
        """p that a row correlates better than a column, for each aspect."""
        blocks = []
        for data, aspect, systems, reasons in self._by_system(table):
            people = systems[""]
            names = tuple(entry.name for entry in table.rows if entry.name not in reasons)
            rows = {
                entry.name: tuple(
                    Cell(ours=_better(systems[entry.name], systems[name], people), reason=reasons.get(entry.name))
                    for name in names
                )
                for entry in table.rows
            }
            blocks.append(Block(f"{data}, {aspect.replace('_', ' ')}", names, rows))
        return blocks, {}

    def _by_system(self, table: Table) -> Iterator[tuple[str, str, dict[str, Float], dict[str, str]]]:
        """(data, aspect, systems' means by row and under '' of the ratings, why a row has none)."""
        self._check(table)
        for data, aspect, _, _ in table.columns:
            corpus = self._data.corpus(table.data[data])
            count = len(corpus.systems)
            systems: dict[str, Float] = {}
            reasons: dict[str, str] = {}
            for entry in table.rows:
                found = self._values(table, entry, data)
                if isinstance(found, str):
                    systems[entry.name], reasons[entry.name] = np.full(count, np.nan), found
                    continue
                column = next(iter(found.columns.values()))
                part = column.parts.index(entry.part) if entry.part and len(column.parts) > 1 else 0
                place, rated = grid(found), ratings(found, corpus)
                systems[entry.name], systems[""] = means(place.of(turned(column, part)), place.of(rated.values[aspect]))
            yield data, aspect, systems, reasons

    def distributions(self, table: Table) -> tuple[list[Block], dict[str, dict[str, Float]]]:
        """Quantiles of each row's values, scaled from least to most, larger better."""
        blocks: list[Block] = []
        samples: dict[str, dict[str, Float]] = {}
        for data in dict.fromkeys(column.data for column in table.columns):
            rows: dict[str, tuple[Cell, ...]] = {}
            samples[data] = {}
            for entry in table.rows:
                found = self._values(table, entry, data)
                if isinstance(found, str):
                    rows[entry.name] = tuple(Cell(reason=found) for _ in _QUANTILES)
                    continue
                column = next(iter(found.columns.values()))
                values = turned(column, column.parts.index(entry.part) if entry.part and len(column.parts) > 1 else 0)
                values = values[np.isfinite(values)]
                least, spread = (values.min(), np.ptp(values)) if len(values) else (0.0, 0.0)
                if not spread:
                    rows[entry.name] = tuple(Cell(reason="all values are alike") for _ in _QUANTILES)
                    continue
                scaled = (values - least) / spread
                samples[data][entry.name] = scaled
                rows[entry.name] = tuple(Cell(ours=float(value)) for value in np.percentile(scaled, _QUANTILES))
            blocks.append(Block(data, tuple(f"{q} %" for q in _QUANTILES), rows))
        return blocks, samples

    def _check(self, table: Table) -> None:
        for column in table.columns:
            corpus = self._data.corpus(table.data[column.data])
            if not any(column.aspect in row.scores for row in corpus):
                rated = ", ".join(dict.fromkeys(aspect for row in corpus for aspect in row.scores)) or "nothing"
                name = table.data[column.data][0].file
                raise InputError(f"{name}: no row is rated for {column.aspect!r}", remedy=f"rated is {rated}")


_Made = tuple[list[Block], dict[str, dict[str, Float]]]
_KINDS: dict[str, Callable[[Rebuilder, Table], _Made]] = {
    "agreement": Rebuilder.agreement,
    "sweep": Rebuilder.agreement,
    "between": Rebuilder.between,
    "williams": Rebuilder.williams,
    "distributions": Rebuilder.distributions,
}


def _grouped(columns: Sequence[Column]) -> dict[str, list[tuple[str, int]]]:
    """(head, column) by title: an aspect's coefficients together, or the aspects where there is one coefficient."""
    grouped: dict[str, list[tuple[str, int]]] = {}
    single = len({column.coefficient for column in columns}) == 1
    for n, (data, aspect, level, coefficient) in enumerate(columns):
        named = aspect.replace("_", " ")
        title, head = (coefficient, named) if single else (named, coefficient)
        grouped.setdefault(f"{data}, {title}, {level}", []).append((head, n))
    return grouped


def _better(one: Float, other: Float, people: Float) -> float:
    """p that one correlates better with people than another; NaN for a metric and itself, and below four systems."""
    if one is other or len(people) < 4:
        return math.nan
    first, second, between = (float(correlation(a, b)) for a, b in ((one, people), (other, people), (one, other)))
    return williams(first, second, between, len(people)).p


def _named(table: Table, name: str) -> Entry:
    return next(entry for entry in table.rows if entry.name == name)


def _defined(table: ScoreTable, value: float | None) -> ScoreTable:
    """The table with a number in place of every missing one, as some published scores have it."""
    if value is None:
        return table
    columns = {
        spec: replace(column, values=np.where(np.isnan(column.values), value, column.values), reasons={})
        for spec, column in table.columns.items()
    }
    return replace(table, columns=columns)


def _part(table: ScoreTable, name: str, part: str | None) -> ScoreTable:
    """The one column of a table under a name, cut down to a part."""
    column = next(iter(table.columns.values()))
    n = column.parts.index(part) if part and len(column.parts) > 1 else 0
    cut = Scores((name,), column.values[:, [n]], column.reasons, {}, column.higher_is_better, column.level)
    return ScoreTable(table.rows, {name: cut}, {})


def _single(rows: list[tuple[str, str]], name: str, values: Float) -> ScoreTable:
    reasons = dict.fromkeys(np.flatnonzero(np.isnan(values)).tolist(), "no value")
    return ScoreTable(rows, {name: Scores(("score",), values[:, None], reasons)}, {})


def without(table: ScoreTable, systems: Sequence[str]) -> ScoreTable:
    """The table without the rows of some systems."""
    if not systems:
        return table
    kept = [n for n, (system, _) in enumerate(table.rows) if system not in systems]
    left = [n for n, system in enumerate(table.systems) if system not in systems]
    columns = {
        spec: Scores(
            column.parts,
            column.values[kept if column.level == "item" else left],
            higher_is_better=column.higher_is_better,
            level=column.level,
        )
        for spec, column in table.columns.items()
    }
    return ScoreTable([table.rows[n] for n in kept], columns, {})


def states(tables: Iterable[Table], data: Data | None) -> Iterator[tuple[Table, str]]:
    """Each table with whether it can be rebuilt with the data at hand, or why not."""
    for table in tables:
        if table.why is not None:
            yield table, f"no: {table.why}"
            continue
        missing = table.files if data is None else data.missing(table.files)
        if missing:
            where = "--data with" if data is None else f"in {data.folder}:"
            yield table, f"needs {where} {', '.join(missing)}"
            continue
        here = sum(_can(table, entry) for entry in table.rows)
        yield table, f"yes, {here} of {len(table.rows)} rows"


def _can(table: Table, entry: Entry) -> bool:
    specs = [spec for data in table.data if (spec := entry.on(data, None)) is not None]
    try:
        return bool(entry.rating or entry.sum or [registry.metric(spec, **table.defaults) for spec in specs])
    except SpecError:
        return False
