"""Where scores go: a table in memory, or rows as they come. A new place is a subclass of Sink."""

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
"""What is there of some rows already, by all metrics of rows or by none"""
NAMED = 5
"""Rows that are named of all that have a note"""
_MOST_TEXTS = 200_000
"""Rows whose texts a table can tell from others; of more, the header of the file would be too large"""


def described(corpus: Corpus) -> RunRecord:
    """Return what a table's `run` says of the rows that were scored."""
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
        """Make ready for some plans' metrics, and return what is there already. held: lasts as long as the run."""
        return None

    @abstractmethod
    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Take some scores, each of which may come again. ended: rows of which nothing more comes by these plans."""

    def finish(self, plan: Plan) -> None:
        """Take what is known only after all rows of a plan: signatures, and the scores of systems."""

    @abstractmethod
    def end(self, spent: Mapping[str, object]) -> T:
        """Return what the run comes to. spent: its seconds, and what each model did."""


class RowCollector(Sink[dict[str, dict[int, RowResult]]]):
    """The scores of rows with all that came with each."""

    def __init__(self) -> None:
        self.scored: dict[str, dict[int, RowResult]] = {}

    def take(self, scored: Scores, ended: Sequence[int] = ()) -> None:
        """Take some scores."""
        for spec, results in scored.items():
            self.scored.setdefault(spec, {}).update(results)

    def end(self, spent: Mapping[str, object]) -> dict[str, dict[int, RowResult]]:
        """All of them."""
        return self.scored


class TableBuilder(Sink[ScoreTable]):
    """A table in memory.

    Args:
        corpus: the rows.
        metrics: by spec.
        asked: specs by what was asked for.
        evidence: whether it is in the table.
        held: of how many rows scores are held, all by default; 0 for a table without rows.
        repeats: what the table says of rows of one system and item.
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
        """Without a number in them yet"""
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
        """Take some rows' scores."""
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
        """Return the whole table, metrics in the order in which they were asked for, and rows in theirs."""
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
        """Count the notes of a row, or system, and keep the first ones that have each."""
        self._notes[spec].update(notes)
        for note in notes:
            self._noted[spec][note] = sorted([*self._noted[spec].get(note, []), index + 1])[:NAMED]

    def _fill_column(self, spec: str, column: Column, results: ColumnResults) -> None:
        """Do the same as `_fill` for scores that come as an array."""
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
