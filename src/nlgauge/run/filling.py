"""Blocks of scores become the columns of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from nlgauge._version import __version__
from nlgauge.data.corpus import Corpus
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable, Sums
from nlgauge.errors import MetricError
from nlgauge.metrics.base import Metric, RowMetric, Value
from nlgauge.metrics.sets import SetMetric
from nlgauge.run.bound import Block
from nlgauge.run.job import Job


class Filling:
    """A table that is being made.

    metrics: by spec. asked: specs by what was asked for. evidence: whether it is kept.
    """

    def __init__(self, corpus: Corpus, metrics: Mapping[str, Metric], asked: Mapping[str, str], evidence: bool) -> None:
        self._corpus, self._metrics, self._asked, self._evidence = corpus, metrics, asked, evidence
        self._columns: dict[str, Column] = {}
        self._signatures: dict[str, Signature] = {}
        self._notes: dict[str, Counter[str]] = {spec: Counter() for spec in metrics}

    def run(self, job: Job) -> None:
        """Take all that a job gives."""
        for block in job.blocks():
            self.take(block)
        self.take_sets(job)
        for spec in job.bound:
            self._signatures[spec] = job.signature(spec)

    def known(self, rows: Sequence[int]) -> None:
        """Nothing is there before a run."""

    def end(self, jobs: Sequence[Job], spent: Mapping[str, object]) -> ScoreTable:
        """The table, after all rows of some jobs have come."""
        for job in jobs:
            self.take_sets(job)
            self._signatures.update({spec: job.signature(spec) for spec in job.bound})
        table = self.table()
        table.spent = dict(spent)
        return table

    def take_sets(self, job: Job) -> None:
        """Take the scores of systems by the metrics of sets of a job whose blocks have all come."""
        for spec, points in job.sets.items():
            column = self._columns[spec] = column_of(points.metric, len(self._corpus.systems))
            for index, scored in enumerate(job.set_scores(spec).values()):
                self._fill(spec, column, index, scored.value)
                if scored.evidence:
                    column.evidence[index] = scored.evidence
            self._signatures[spec] = job.signature(spec)

    def take(self, block: Block, signatures: Mapping[str, Signature] | None = None) -> None:
        """Take some rows' scores, and signatures where they are known."""
        self._signatures.update(signatures or {})
        for spec, scored in block.scored.items():
            column = self._columns.get(spec)
            if column is None:
                column = self._columns[spec] = column_of(self._metrics[spec], len(self._corpus))
            for index, one in scored.items():
                self._fill(spec, column, index, one.value)
                if self._evidence:
                    column.evidence[index] = one.evidence or {}

    def table(self) -> ScoreTable:
        """The whole table, metrics in the order in which they were asked for."""
        notes = {spec: dict(sorted(counted.items())) for spec, counted in self._notes.items() if counted}
        return ScoreTable(
            [(row.system, row.item) for row in self._corpus],
            {spec: _ordered(self._columns[spec]) for spec in self._metrics},
            {spec: self._signatures[spec] for spec in self._metrics},
            {"rows": len(self._corpus), "corpus": self._corpus.digest, "notes": notes, "asked": dict(self._asked)},
            __version__,
        )

    def _fill(self, spec: str, column: Column, index: int, value: Value) -> None:
        column.values[index] = value.parts
        if value.reason:
            column.reasons[index] = value.reason
        if value.notes:
            self._notes[spec].update(value.notes)
        if column.sums is not None and value.counts is not None:
            if column.sums.counts.shape[1] != len(value.counts):
                if not np.isnan(column.sums.counts).all():
                    raise MetricError(f"{spec} gave {len(value.counts)} counts for one row, and more or fewer before")
                column.sums.counts = np.full((len(column.values), len(value.counts)), np.nan)
            column.sums.counts[index] = value.counts


def column_of(metric: Metric, size: int) -> Column:
    """A metric's column without a number in it: of `size` rows, or systems."""
    formula = metric.formula if isinstance(metric, RowMetric) else None
    return Column(
        metric.parts,
        np.full((size, len(metric.parts)), np.nan),
        higher_is_better=metric.higher_is_better,
        level="system" if isinstance(metric, SetMetric) else "item",
        sums=None if formula is None else Sums(dict(formula), np.full((size, 1), np.nan)),
        details=metric.details,
    )


def _ordered(column: Column) -> Column:
    """With what is kept by row in the order of the rows, whichever of them came first."""
    column.reasons = dict(sorted(column.reasons.items()))
    column.evidence = dict(sorted(column.evidence.items()))
    return column
