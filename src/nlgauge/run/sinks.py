"""Sinks, which take the scores of a run: as a table in memory, or as rows. A new place is a subclass of Sink."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from nlgauge._version import __version__
from nlgauge.contract.base import Metric, RowMetric, Value
from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable, Sums
from nlgauge.data.table.run_record import Later, RunRecord
from nlgauge.errors import MetricError
from nlgauge.options import Repeats
from nlgauge.run.plan import Plan
from nlgauge.run.results import ColumnResults, RowResult, Scores

T = TypeVar("T")
Earlier: TypeAlias = Callable[[Sequence[int]], Scores]
"""A function from the numbers of rows to the scores of these rows that an earlier run wrote. It has the scores by all
metrics of rows, or by none"""
NAMED = 5
"""The largest number of rows that are named for each note"""
_MOST_TEXTS = 200_000
"""The largest number of rows for which a table has digests of their texts; with more, the file's header would be too
large"""


def described(corpus: Corpus) -> RunRecord:
    """Return what the record `run` of a table says about the scored rows."""
    about = RunRecord({"rows": len(corpus.rows), "corpus": Later(lambda: corpus.digest)})
    trials = [row.trial for row in corpus.rows]
    if any(trial is not None for trial in trials):
        about["trials"] = trials
    if len(corpus.rows) <= _MOST_TEXTS:
        about["texts"] = Later(lambda: [row.fingerprint for row in corpus.rows])
    return about


class Sink(ABC, Generic[T]):
    """A place where the scores of a run go. The methods are called in the order in which they stand here."""

    def begin(self, plans: Sequence[Plan], held: ExitStack) -> Earlier | None:
        """Prepare for the metrics of plans. Return a reader of earlier scores, or None. held: closed after the run."""
        return None

    @abstractmethod
    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Take scores, each of which may come several times. ended: the rows that these plans have finished."""

    def finish(self, plan: Plan) -> None:
        """Take what is known only after all rows of a plan: signatures, and the scores of systems."""

    @abstractmethod
    def end(self, spent: Mapping[str, object]) -> T:
        """Return the result of the run. spent: the seconds of the run, and the work of each model."""


class RowCollector(Sink[dict[str, dict[int, RowResult]]]):
    """A sink that collects the complete results of rows."""

    def __init__(self) -> None:
        self.scored: dict[str, dict[int, RowResult]] = {}

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Add the results of some rows."""
        for spec, results in scored.items():
            self.scored.setdefault(spec, {}).update(results)

    def end(self, spent: Mapping[str, object]) -> dict[str, dict[int, RowResult]]:
        """Return all results, by the spec of the metric and by the number of the row."""
        return self.scored


class TableBuilder(Sink[ScoreTable]):
    """A sink that builds a table in memory.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        asked: the canonical spec of each metric, by the spec that the user wrote.
        evidence: whether evidence is in the table.
        held: the number of rows whose scores are held, all by default; 0 for a table without rows.
        repeats: how several rows of one system and item are treated (`nlgauge.options.Repeats`); the table records it.
    """

    def __init__(
        self,
        corpus: Corpus,
        metrics: Mapping[str, Metric],
        asked: Mapping[str, str],
        evidence: bool,
        held: int | None = None,
        repeats: Repeats = "error",
    ) -> None:
        self._corpus, self._asked, self._evidence = corpus, asked, evidence
        self._repeats = repeats
        self._rows = [(row.system, row.item) for row in corpus.rows] if held is None else []
        self.columns: dict[str, Column] = {}
        """The columns by spec, which are NaN until their scores come"""
        for spec, metric in metrics.items():
            of_rows = isinstance(metric, RowMetric)
            size = (len(corpus.rows) if held is None else held) if of_rows else len(corpus.systems)
            formula = metric.formula if isinstance(metric, RowMetric) else None
            self.columns[spec] = Column(
                metric.parts,
                np.full((size, len(metric.parts)), np.nan),
                higher_is_better=metric.higher_is_better,
                level="item" if of_rows else "system",
                sums=None if formula is None else Sums(dict(formula), np.full((size, 1), np.nan)),
                details=metric.details,
                limits=metric.limits,
            )
        self._signatures: dict[str, Signature] = {}
        self._notes: dict[str, Counter[str]] = {spec: Counter() for spec in metrics}
        self._noted: dict[str, dict[str, list[int]]] = {spec: {} for spec in metrics}

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Add the scores of some rows to the table."""
        for spec, results in scored.items():
            column = self.columns[spec]
            if isinstance(results, ColumnResults):
                self._fill_column(spec, column, results)
            else:
                self._fill(spec, column, {index: result.value for index, result in results.items()})
            if self._evidence:
                column.evidence.update({index: result.evidence or {} for index, result in results.items()})

    def finish(self, plan: Plan) -> None:
        """Take the scores of systems by a plan's corpus-level metrics, and all its signatures."""
        for spec in plan.sets:
            column = self.columns[spec]
            scores = dict(enumerate(plan.set_scores(spec).values()))
            self._fill(spec, column, {index: result.value for index, result in scores.items()})
            column.evidence.update({index: result.evidence for index, result in scores.items() if result.evidence})
        self._signatures.update({spec: plan.signature(spec) for spec in plan.facts})

    def end(self, spent: Mapping[str, object]) -> ScoreTable:
        """Return the complete table, with metrics in the order of their request and rows in the order of the corpus."""
        for column in self.columns.values():
            column.reasons = dict(sorted(column.reasons.items()))
            column.evidence = dict(sorted(column.evidence.items()))
        notes = {spec: dict(sorted(counted.items())) for spec, counted in self._notes.items() if counted}
        run = described(self._corpus)
        run["notes"] = notes
        run["noted"] = {spec: dict(sorted(self._noted[spec].items())) for spec in notes}
        run["asked"] = dict(self._asked)
        if self._repeats != "error":
            run["repeats"] = self._repeats
        signatures = {spec: self._signatures[spec] for spec in self.columns}
        table = ScoreTable(rows=self._rows, columns=self.columns, signatures=signatures, run=run, version=__version__)
        table.spent = dict(spent)
        return table

    def _note(self, spec: str, index: int, notes: Sequence[str]) -> None:
        """Count the notes of a row or system, and remember the first rows or systems with each note."""
        self._notes[spec].update(notes)
        for note in notes:
            self._noted[spec][note] = sorted([*self._noted[spec].get(note, []), index + 1])[:NAMED]

    def _fill_column(self, spec: str, column: Column, results: ColumnResults) -> None:
        """Fill a column with scores that come as an array, as `_fill` does with single values."""
        numbers, values = np.array(results.numbers, np.intp), results.values_of
        for at, notes in values.notes.items():
            if (index := results.numbers[at]) not in column.reasons and np.isnan(column.values[index]).all():
                self._note(spec, index, notes)
        column.reasons.update({results.numbers[at]: reason for at, reason in values.reasons.items()})
        column.values[numbers] = values.parts

    def _fill(self, spec: str, column: Column, values: Mapping[int, Value]) -> None:
        for index, value in values.items():
            if value.notes and index not in column.reasons and np.isnan(column.values[index]).all():  # or counted
                self._note(spec, index, value.notes)
            if value.reason:
                column.reasons[index] = value.reason
        if values:
            column.values[list(values)] = [value.parts for value in values.values()]
        counts = {index: value.counts for index, value in values.items() if value.counts is not None}
        if column.sums is not None and counts:
            sizes = {*map(len, counts.values())}
            if column.sums.counts.shape[1] not in sizes and np.isnan(column.sums.counts).all():
                column.sums.counts = np.full((len(column.values), min(sizes)), np.nan)
            if sizes != {column.sums.counts.shape[1]}:
                raise MetricError(f"{spec} gave {max(sizes)} counts for one row, and more or fewer for another")
            column.sums.counts[list(counts)] = list(counts.values())
