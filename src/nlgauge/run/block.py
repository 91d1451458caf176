"""Scoring of blocks, which are rows that are scored together. Scores depend on the rows and on what metrics prepared.

This file reads no cache of scores and needs no corpus. So rows can be scored in any process to which they are sent, and
again after an interruption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, tee, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from nlgauge.contract.base import Interrupted, Prepared, Reading, RowMetric, Values
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence, Json
from nlgauge.engine.batching import blocks
from nlgauge.engine.features.request import AnyRequest, Features, RequestError, work_of
from nlgauge.errors import InputError
from nlgauge.options import RunOptions
from nlgauge.run.results import ColumnResults, RowResult, Scores, checked, texts_of, told_unknown

if TYPE_CHECKING:
    from nlgauge.engine.engine import Engine

BLOCK_WEIGHT = 64 << 20
"""The largest weight of a block, as `BlockScorer.weight` counts it"""
_WORK = 160
"""The weight, in bytes, of a character that a model reads. With it, a block takes seconds and not minutes, and a run
that is killed loses at most this work"""
_MOST_ROWS = 4096
_MOST_ASKED = 128
"""The largest number of rows in a block that a server scores. Their answers are cached together, so a run that is
killed loses at most these"""

Rows: TypeAlias = Sequence[Row] | Mapping[int, Row]
"""Rows by their number in the corpus"""


@dataclass(frozen=True, eq=False)
class PreparedMetric:
    """A metric that scores rows, and its result of `prepare`."""

    metric: RowMetric
    prepared: Prepared
    facts: Mapping[str, object]
    """All that the metric's numbers depend on besides its spec and the texts"""


class Collector(Protocol):
    """An object that collects, block by block, what a corpus-level metric needs from the features of all rows."""

    def apart(self) -> Collector:
        """Return an empty collector of the same kind, which another process may fill from a part of the rows."""

    def requests(self, row: Row) -> Sequence[AnyRequest]:
        """Return requests for the features of a row that the collector needs."""

    def lacks(self, request: AnyRequest) -> bool:
        """Return whether the feature of a request has not been taken yet."""

    def take(self, requests: Sequence[AnyRequest], features: Features) -> None:
        """Take the features of a row's requests, except those that were taken before."""


class CacheLookup(NamedTuple):
    """The scores of some rows that the cache does not have."""

    missing: Mapping[str, Sequence[int]]
    """The numbers of the rows that have to be scored, by the spec of the metric"""
    damaged: frozenset[int] = frozenset()
    """The numbers of rows with a damaged entry in the cache. Their block is scored without anything from the cache"""


class Task(NamedTuple):
    """Rows that an executor scores as one piece of work."""

    rows: Rows
    wanted: Sequence[int]
    lookups: Sequence[CacheLookup | None]
    """What the cache lacks, for each scorer; None for a scorer that has nothing to do"""


class ScoredBlock(NamedTuple):
    """Scores of some rows of a task, or the end of the task."""

    scored: Scores
    collected: Mapping[str, Any] = {}
    """The collectors of a task, by the spec of their metric; empty until all rows of the task are scored"""
    ended: bool = False
    """Whether the task has ended, so that no more blocks of it follow"""


Executor: TypeAlias = Callable[
    [Sequence["BlockScorer"], Iterable[Task], RunOptions], Generator[ScoredBlock, None, None]
]
"""A function that scores tasks by each scorer, in the order of the tasks. It takes the next task when it has room for
it"""


class ReadRow(NamedTuple):
    """The readings of a row by each metric, and the first requests to the model for this row."""

    readings: dict[str, Reading]
    """The readings by the spec of the metric; emptied when the row has been scored"""
    requests: Mapping[str, Sequence[AnyRequest]]
    """The requests by the spec of the metric, for metrics of rows and for corpus-level metrics with a collector"""


ReadRows: TypeAlias = Mapping[int, ReadRow]
"""Rows that metrics have read, by their number in the corpus"""


def score_here(
    scorers: Sequence[BlockScorer], tasks: Iterable[Task], options: RunOptions
) -> Generator[ScoredBlock, None, None]:
    """Yield the scored blocks of tasks. This is the `Executor` of this process; other executors call it in workers."""
    for task in tasks:
        collected: dict[str, Collector] = {}
        for scorer, lookup in zip(scorers, task.lookups, strict=True):
            if lookup is not None:
                alone = scorer.apart(scorer.engine) if scorer.collectors else scorer
                yield from alone.blocks(task.rows, task.wanted, lookup)
                collected.update(alone.collectors)
        yield ScoredBlock({}, collected, ended=True)


@dataclass(frozen=True, eq=False)
class BlockScorer:
    """The scorer of blocks: metrics with what they prepared, and the engine of their model.

    Which rows form a block depends on rows and metrics alone.
    """

    metrics: Mapping[str, PreparedMetric]
    collectors: Mapping[str, Collector]
    evidence: bool = False
    engine: Engine | None = None

    def apart(self, engine: Engine | None) -> BlockScorer:
        """Return a copy of this scorer for a part of the rows, with this engine and with empty collectors."""
        return replace(
            self, collectors={spec: collector.apart() for spec, collector in self.collectors.items()}, engine=engine
        )

    def blocks(self, rows: Rows, wanted: Sequence[int], lookup: CacheLookup) -> Iterator[ScoredBlock]:
        """Yield the missing scores of some rows, a block at a time, and fill the collectors of this scorer.

        Args:
            rows: rows by number, among them the wanted ones.
            wanted: the numbers of the rows.
            lookup: which of their scores are missing in the cache.

        Returns:
            An iterator over the blocks.

        Raises:
            InputError: the window policy refuses a text; this is raised before anything is computed.
        """
        engine, gaps = self.engine, {spec: set(numbers) for spec, numbers in lookup.missing.items()}
        asked = self.read(rows, wanted) if engine is not None else {}
        if engine is not None and engine.window == "error":
            for number in wanted:
                engine.check(_distinct(asked, [number]), number + 1)
        work: dict[int, int] = {}
        if engine is not None and engine.progress.shown:
            work = {n: work_of(_distinct(asked, [n])) for n in wanted}
            engine.progress.expect(sum(work.values()), len(wanted))
        current, nexts = tee([wanted] if len(wanted) == 1 else self._split(rows, wanted, asked))
        next(nexts, None)
        for numbers, following in zip_longest(current, nexts, fillvalue=()):
            if engine is not None and following:
                engine.prepare(_distinct(asked, following))
            fresh = not lookup.damaged.isdisjoint(numbers)
            todo = {spec: [n for n in numbers if fresh or n in gaps[spec]] for spec in self.metrics}
            features = Features({})
            if engine is not None:
                if work:
                    engine.progress.part(sum(work[n] for n in numbers))
                features = self._features(engine, numbers, todo=todo, asked=asked, fresh=fresh)
            stops: list[Interrupted] = []
            scored = {
                spec: self._scored(spec, {n: rows[n] for n in todo[spec]}, read=asked, features=features, stops=stops)
                for spec in todo
            }
            for n in numbers if asked else ():
                asked[n].readings.clear()
            yield ScoredBlock(scored)
            if stops:  # what was scored before has been cached by now
                raise stops[0]

    def read(self, rows: Rows, wanted: Sequence[int]) -> ReadRows:
        """Return some rows as all metrics read them. Equal requests are represented by one object."""
        read: dict[int, ReadRow] = {}
        first_of: dict[AnyRequest, AnyRequest] = {}
        for n in wanted:
            row = rows[n]
            readings = {spec: scorer.metric.read_row(row, scorer.prepared) for spec, scorer in self.metrics.items()}
            asked = {spec: reading.requests for spec, reading in readings.items()}
            asked |= {spec: collector.requests(row) for spec, collector in self.collectors.items()}
            same = {
                spec: [first_of.setdefault(request, request) for request in requests]
                for spec, requests in asked.items()
            }
            read[n] = ReadRow(readings, same)
        return read

    def weight(self, rows: Rows, wanted: Sequence[int], asked: ReadRows | None = None) -> int:
        """Return the weight of some rows, which limits how many rows form a block.

        The weight is the bytes of the rows' features, and `_WORK` bytes for each character that the model reads.
        Without a model, it is the number of characters of the rows' candidates and references.

        Args:
            rows: rows by number, among them the wanted ones.
            wanted: the numbers of the rows.
            asked: the wanted rows as `read` returns them; None if they have not been read yet.

        Returns:
            The weight.
        """
        if self.engine is None:
            weighed = [rows[n] for n in wanted]
            return sum([len(row.candidate) for row in weighed]) + sum(
                map(len, chain.from_iterable(row.references for row in weighed))
            )
        requests = _distinct(self.read(rows, wanted) if asked is None else asked, wanted)
        return sum(map(self.engine.size, requests)) + _WORK * work_of(requests)

    def _split(self, rows: Rows, wanted: Sequence[int], asked: ReadRows) -> Iterator[Sequence[int]]:
        """Yield the numbers of some rows in blocks. Rows that share texts come into one block where possible.

        Args:
            rows: rows by number, among them the wanted ones.
            wanted: the numbers of the rows.
            asked: the wanted rows as `read` returns them; empty without a model.

        Returns:
            An iterator over the row numbers of each block.
        """
        most = _MOST_ASKED if any(scorer.metric.remote for scorer in self.metrics.values()) else _MOST_ROWS
        alone = self.engine is None and len(wanted) <= most  # without a model nothing is gained by the order
        if alone and self.weight(rows, wanted, asked) <= BLOCK_WEIGHT:
            yield list(wanted)
            return
        columns = tuple(dict.fromkeys(column for scorer in self.metrics.values() for column in scorer.metric.columns))
        texts = {n: texts_of(rows[n], columns or ("candidate", "references")) for n in wanted}
        yield from blocks(texts, lambda numbers: self.weight(rows, numbers, asked), BLOCK_WEIGHT, most)

    def _features(
        self, engine: Engine, rows: Sequence[int], todo: Mapping[str, Sequence[int]], asked: ReadRows, fresh: bool
    ) -> Features:
        """Return the features that metrics and collectors need of rows, from shared passes.

        Args:
            engine: the engine that computes features.
            rows: the numbers of the rows.
            todo: the numbers of the rows that each metric scores, by its spec.
            asked: the rows as `read` returns them.
            fresh: whether to ignore the cache of features.

        Returns:
            The features by request.

        Raises:
            InputError: the model cannot read a text of a row.
        """
        first = [request for spec, numbers in todo.items() for n in numbers for request in asked[n].requests[spec]]
        first += [
            request
            for spec, collector in self.collectors.items()
            for n in rows
            for request in asked[n].requests[spec]
            if collector.lacks(request)
        ]
        try:
            features = engine.features(first, fresh)
        except RequestError as error:
            failing = (n for n in rows if any(request == error.request for request in _distinct(asked, [n])))
            row = next(failing, None)
            raise InputError(error.problem, row=None if row is None else row + 1, remedy=error.remedy) from None
        while further := [
            request
            for spec, numbers in todo.items()
            for n in numbers
            for request in asked[n].readings[spec].followup(features)
            if request not in features
        ]:
            features = features.joined(engine.features(further, fresh))
        for spec, collector in self.collectors.items():
            for n in rows:
                collector.take(asked[n].requests[spec], features)
        return features

    def _scored(
        self, spec: str, rows: Mapping[int, Row], *, read: ReadRows, features: Features, stops: list[Interrupted]
    ) -> Mapping[int, RowResult]:
        """Return the checked results of a metric for some rows, by number.

        Args:
            spec: the spec of the metric.
            rows: the rows by number.
            read: the rows as metrics read them; empty where no model is used.
            features: the computed features.
            stops: a list to which an interruption of the scoring is added. If the list is not empty, nothing is scored.
        """
        if not rows or stops:
            return {}
        metric, prepared = self.metrics[spec].metric, self.metrics[spec].prepared
        readings = [read[n].readings[spec] if read else metric.read_row(row, prepared) for n, row in rows.items()]
        try:
            values, evidence = type(readings[0]).score_all(readings, features)
        except Interrupted as stop:
            stops.append(stop)
            values, evidence = stop.values, lambda at: Evidence()
        values = checked(metric, values, len(rows))
        if not (features.longer or features.unknown or self.evidence):
            if isinstance(values, Values):
                return ColumnResults(rows, values)
            return dict(zip(rows, map(RowResult, values), strict=True))
        results: dict[int, RowResult] = {}
        for at, ((number, row), value) in enumerate(zip(rows.items(), values, strict=True)):
            if features.unknown:
                value = told_unknown(value, row, metric.columns, features.unknown)
            texts = texts_of(row, metric.columns) if features.longer else ()
            longer = tuple(n for n, text in enumerate(texts) if text in features.longer)
            asked = self.evidence and not (features.unknown and all(map(math.isnan, value.parts)))
            shown = _shown(metric, row, evidence(at)) if asked else None
            results[number] = RowResult(value, longer, shown)
        return results


def _shown(metric: RowMetric, row: Row, evidence: Evidence) -> Json:
    """Return the evidence for a row's score as a JSON value; None where there is nothing to show."""
    if metric.lists_differences:
        from nlgauge.faithfulness.listing import with_differences  # only the gate and this evidence read the rules

        evidence = with_differences(evidence, row)
    return evidence.record() or None


def _distinct(asked: ReadRows, wanted: Iterable[int]) -> dict[AnyRequest, None]:
    return {request: None for n in wanted for requests in asked[n].requests.values() for request in requests}
