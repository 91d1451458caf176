"""Rows that are scored together: a pure function of the rows and of what was prepared on the whole corpus.

It reads no store and knows no corpus, so that it runs in whatever process the rows are sent to, and after a break.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import tee, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.batching import blocks as blocks_of
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.metrics.base import Prepared, RowMetric
from nlgauge.options import RunOptions
from nlgauge.run.results import RowResult, Scores, checked, texts_of, told_unknown

if TYPE_CHECKING:
    from nlgauge.engine.engine import Engine

BLOCK_WEIGHT = 64 << 20
"""What a block may weigh"""
_WORK = 160
"""Bytes that a character on its way through the model counts as: a block is seconds of work, not minutes, and a run
that is killed loses no more"""
_MOST_ROWS = 4096
_MOST_ASKED = 128
"""Rows of a block that a server scores: their answers are cached together, and a run that is killed loses no more"""

Rows: TypeAlias = Corpus | Mapping[int, Row]
"""Rows by their number in the corpus"""


@dataclass(frozen=True, eq=False)
class PreparedMetric:
    """A metric of rows with what it prepared."""

    metric: RowMetric
    prepared: Prepared
    facts: Mapping[str, object]
    """All that its numbers depend on beside its spec"""


class Collector(Protocol):
    """What is made of the features of all rows together, block by block."""

    def apart(self) -> Collector:
        """One for some rows alone, which may go to another process."""

    def requests(self, rows: Iterable[Row]) -> Sequence[AnyRequest]:
        """The features of some rows that it has not seen yet."""

    def take(self, requests: Sequence[AnyRequest], features: Features) -> None:
        """Take what was asked for."""


class CacheLookup(NamedTuple):
    """What the store lacks of some rows."""

    missing: Mapping[str, Sequence[int]]
    """The rows that have to be scored, by metric"""
    damaged: frozenset[int] = frozenset()
    """Rows of which the store had something that was damaged: nothing of theirs is taken from it"""


class Task(NamedTuple):
    """Rows that one executor scores in one go."""

    rows: Rows
    wanted: Sequence[int]
    lookups: Sequence[CacheLookup | None]
    """For each scorer; None where it has nothing to do"""


class ScoredBlock(NamedTuple):
    """What came of some rows."""

    scored: Scores
    collected: Mapping[str, Any] = {}
    """The collectors of a task, by spec, when all its rows are scored"""
    ended: bool = False
    """Whether nothing more comes of the task"""


Executor: TypeAlias = Callable[
    [Sequence["BlockScorer"], Iterable[Task], RunOptions], Generator[ScoredBlock, None, None]
]
"""Scores tasks by each scorer, in their order; it asks for the next task when it has room for it"""


@dataclass(frozen=True, eq=False)
class BlockScorer:
    """All that scores rows: metrics with what they prepared, and the engine of their model.

    Blocks depend on rows and metrics alone.
    """

    metrics: Mapping[str, PreparedMetric]
    collectors: Mapping[str, Collector]
    evidence: bool = False
    engine: Engine | None = None

    def apart(self, engine: Engine | None) -> BlockScorer:
        """The same for some rows alone, with collectors that know no text yet."""
        return replace(self, collectors={spec: one.apart() for spec, one in self.collectors.items()}, engine=engine)

    def blocks(self, rows: Rows, wanted: Sequence[int], lookup: CacheLookup) -> Iterator[ScoredBlock]:
        """Score what is missing of some rows, a block at a time; what is collected stands in the collectors.

        Raises InputError for a text that the window policy refuses, before anything is computed.
        """
        gaps = {spec: set(numbers) for spec, numbers in lookup.missing.items()}
        if self.engine is not None:
            if self.engine.window == "error":
                for number in wanted:
                    self.engine.check(self.requests([rows[number]]), number + 1)
            work = sum(request.work for request in set(self.requests(rows[n] for n in wanted)))
            self.engine.progress.expect(work, len(wanted))
        these, nexts = tee(self.split(rows, wanted))
        next(nexts, None)
        for numbers, following in zip_longest(these, nexts, fillvalue=()):
            if self.engine is not None:
                self.engine.prepare(self.requests(rows[n] for n in following))
            fresh = not lookup.damaged.isdisjoint(numbers)
            todo = {spec: [n for n in numbers if fresh or n in gaps[spec]] for spec in self.metrics}
            here = {n: rows[n] for n in numbers}
            asked = {spec: collector.requests(here.values()) for spec, collector in self.collectors.items()}
            features = features_of(
                [(self.metrics[spec], here[n]) for spec, some in todo.items() for n in some],
                [request for requests in asked.values() for request in requests], self.engine, fresh,
            )  # fmt: skip
            for spec, collector in self.collectors.items():
                collector.take(asked[spec], features)
            yield ScoredBlock(
                {
                    spec: score_rows(self.metrics[spec], {n: here[n] for n in some}, features, self.evidence)
                    for spec, some in todo.items()
                }
            )

    def split(self, rows: Rows, wanted: Sequence[int], most: int = BLOCK_WEIGHT) -> Iterator[list[int]]:
        """Some rows in blocks, those that share texts together."""
        most_rows = _MOST_ASKED if self.remote else _MOST_ROWS
        if self.engine is None and len(wanted) <= most_rows and self.weight(rows[n] for n in wanted) <= most:
            yield list(wanted)  # without a model nothing is gained by the order
            return
        columns = tuple(dict.fromkeys(column for one in self.metrics.values() for column in one.metric.columns))
        texts = [texts_of(rows[n], columns or ("candidate", "references")) for n in wanted]
        for block in blocks_of(texts, lambda some: self.weight(rows[wanted[n]] for n in some), most, most_rows):
            yield [wanted[n] for n in block]

    @property
    def remote(self) -> bool:
        """Whether a server scores the rows, which is asked from this process."""
        return any(one.metric.remote for one in self.metrics.values())

    def weight(self, rows: Iterable[Row]) -> int:
        """What some rows weigh in a block: bytes that are held, and work on the way to them."""
        if self.engine is None:
            return sum(len(row.candidate) + sum(map(len, row.references)) for row in rows)
        size = self.engine.size
        return sum(size(request) + _WORK * request.work for request in set(self.requests(rows)))

    def requests(self, rows: Iterable[Row]) -> Iterator[AnyRequest]:
        """All that is asked of the model for some rows first."""
        rows = list(rows)
        for row in rows:
            for one in self.metrics.values():
                yield from one.metric.requests(row, one.prepared)
        for collector in self.collectors.values():
            yield from collector.requests(rows)


def features_of(
    asked: Sequence[tuple[PreparedMetric, Row]], others: Sequence[AnyRequest], engine: Engine | None,
    fresh: bool = False,
) -> Features:  # fmt: skip
    """What metrics read of rows, and the answers to other requests, in the same passes.

    asked: metrics, each with a row. fresh: take no feature from the store.
    """
    if engine is None:
        return Features({})
    first = [request for one, row in asked for request in one.metric.requests(row, one.prepared)]
    features = engine.features([*first, *others], fresh)
    further = (one.metric.followup_requests(row, one.prepared, features) for one, row in asked)
    if then := [request for some in further for request in some if request not in features]:
        features = features.joined(engine.features(then, fresh))
    return features


def score_rows(
    one: PreparedMetric, rows: Mapping[int, Row], features: Features, evidence: bool
) -> dict[int, RowResult]:
    """Score some rows by a metric: a pure function of rows, by their numbers, and of what was prepared."""
    metric, prepared = one.metric, one.prepared
    values = checked(metric, metric.score_rows(list(rows.values()), prepared, features), len(rows)) if rows else []
    if features.unknown:
        values = [
            told_unknown(value, row, metric.columns, features.unknown)
            for value, row in zip(values, rows.values(), strict=True)
        ]
    if not (features.longer or evidence):
        return dict(zip(rows, map(RowResult, values), strict=True))
    results: dict[int, RowResult] = {}
    for (number, row), value in zip(rows.items(), values, strict=True):
        texts = texts_of(row, metric.columns) if features.longer else ()
        longer = tuple(n for n, text in enumerate(texts) if text in features.longer)
        asked = evidence and not (features.unknown and all(map(math.isnan, value.parts)))
        shown = metric.evidence(row, prepared, features).record() or None if asked else None
        results[number] = RowResult(value, longer, shown)
    return results
