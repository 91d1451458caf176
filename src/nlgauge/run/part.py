"""Some rows in one memory, scored a block at a time with what was prepared on the whole corpus.

It reads no store and knows no corpus, so that it runs in whatever process the rows are sent to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nlgauge.data.corpus import Row
from nlgauge.engine.batching import blocks as blocks_of
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.run.bound import Bindings, Block, Bound, Found
from nlgauge.run.keys import texts_of
from nlgauge.run.scored import Scored, checked

BLOCK_WEIGHT = 64 << 20
"""What a block may weigh"""
_WORK = 160
"""Bytes that a character on its way through the model counts as: a block is seconds of work, not minutes, and a run
that is killed loses no more"""
_MOST_ROWS = 4096


class Part:
    """Rows that are scored by one engine; blocks depend on rows and metrics alone."""

    def __init__(self, rows: Sequence[Row], bindings: Bindings, engine: Engine | None) -> None:
        self._rows, self._engine = rows, engine
        self._bound, self._sets, self._evidence = bindings

    def computed(self, found: Found) -> Iterator[Block]:
        """Score what is missing, a block at a time, and gather the points of sets."""
        wanted = found.block.rows
        gaps = {spec: set(numbers) for spec, numbers in found.missing.items()}
        if self._engine is not None:
            self._engine.expect(sum(request.work for request in set(self.requests(wanted))), len(wanted))
        for numbers, following in _with_next(self.split(wanted)):
            if self._engine is not None:
                self._engine.prepare(self.requests(following))
            fresh = not found.damaged.isdisjoint(numbers)
            todo = {spec: [n for n in numbers if fresh or n in gaps[spec]] for spec in self._bound}
            rows = {spec: [self._rows[n] for n in some] for spec, some in todo.items()}
            texts = [self._rows[n] for n in numbers]
            asked = {spec: gathered.requests(texts) for spec, gathered in self._sets.items()}
            others = [request for requests in asked.values() for request in requests]
            scored, features = score_block(self._bound, rows, self._engine, self._evidence, others, fresh)
            for spec, gathered in self._sets.items():
                gathered.take(asked[spec], features)
            yield Block(numbers, {spec: dict(zip(todo[spec], scored[spec], strict=True)) for spec in todo})
        if self._engine is not None:
            self._engine.close()

    def split(self, wanted: Sequence[int]) -> Iterator[list[int]]:
        """Some rows in blocks, those that share texts together."""
        columns = tuple(dict.fromkeys(column for bound in self._bound.values() for column in bound.metric.columns))
        texts = [texts_of(self._rows[n], columns or ("candidate", "references")) for n in wanted]
        for block in blocks_of(texts, lambda some: self.weight([wanted[n] for n in some]), BLOCK_WEIGHT, _MOST_ROWS):
            yield [wanted[n] for n in block]

    def weight(self, numbers: Sequence[int]) -> int:
        """What some rows weigh in a block: bytes that are held, and work on the way to them."""
        if self._engine is None:
            return sum(len(text) for n in numbers for text in texts_of(self._rows[n], ("candidate", "references")))
        size = self._engine.size
        return sum(size(request) + _WORK * request.work for request in set(self.requests(numbers)))

    def requests(self, numbers: Sequence[int]) -> Iterator[AnyRequest]:
        """All that is asked of the model for some rows first."""
        for number in numbers:
            for bound in self._bound.values():
                yield from bound.requests(self._rows[number])
        for gathered in self._sets.values():
            yield from gathered.requests(self._rows[number] for number in numbers)


def score_block(
    bound: Mapping[str, Bound],
    rows: Mapping[str, Sequence[Row]],
    engine: Engine | None,
    evidence: bool,
    others: Sequence[AnyRequest] = (),
    fresh: bool = False,
) -> tuple[dict[str, list[Scored]], Features]:
    """Score some rows by each metric: a pure function of rows and what was prepared.

    rows: by the metric's spec. others: requests that are to be answered in the same passes. fresh: take no feature from
    the store. Also returns the features, of the rows and of `others`.
    """
    first = [request for spec, some in rows.items() for row in some for request in bound[spec].requests(row)]
    features = Features({})
    if engine is not None:
        features = engine.features([*first, *others], fresh)
        then = [
            request
            for spec, some in rows.items()
            for row in some
            for request in bound[spec].metric.followup_requests(row, bound[spec].prepared, features)
            if request not in features
        ]
        if then:
            features = features.joined(engine.features(then, fresh))
    return {spec: _scored(bound[spec], some, features, evidence) for spec, some in rows.items()}, features


def _with_next(blocks: Iterable[list[int]]) -> Iterator[tuple[list[int], list[int]]]:
    """Each block with the one after it; the last with none."""
    before: list[int] | None = None
    for block in blocks:
        if before is not None:
            yield before, block
        before = block
    if before is not None:
        yield before, []


def _scored(bound: Bound, rows: Sequence[Row], features: Features, evidence: bool) -> list[Scored]:
    metric, prepared = bound.metric, bound.prepared
    values = checked(metric, metric.score_rows(rows, prepared, features), len(rows)) if rows else []
    longer = [_longer(row, metric.columns, features) if features.longer else () for row in rows]
    shown = [metric.evidence(row, prepared, features).record() or None if evidence else None for row in rows]
    return [Scored(*entry) for entry in zip(values, longer, shown, strict=True)]


def _longer(row: Row, columns: Sequence[str], features: Features) -> tuple[int, ...]:
    return tuple(n for n, text in enumerate(texts_of(row, columns)) if text in features.longer)
