"""One run: prepare (what the corpus as a whole says), score blocks of rows, finish (sets). The only loop over blocks.

A block is scored by a pure function of its rows and of what was prepared. Blocks depend on corpus and metrics alone and
are stored whole, so that a run that was killed goes on where it stopped and ends with the same numbers to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

from nlgauge._version import __version__
from nlgauge.corpus import Corpus, Row
from nlgauge.engine.batching import blocks as blocks_of
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric, Prepared, RowMetric, Setup, model_of
from nlgauge.metrics.sets import SetMetric
from nlgauge.run.keys import Keys, metric_key, texts_of
from nlgauge.run.scored import Scored, packed, unpacked
from nlgauge.run.sets import SetPoints
from nlgauge.signature import Signature
from nlgauge.store import Store

BLOCK_WEIGHT = 64 << 20
"""What a block may weigh"""
_WORK = 160
"""Bytes that a character on its way through the model counts as: a block is seconds of work, not minutes, and a run
that is killed loses no more"""
_MOST_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Bound:
    """A metric of rows with what it prepared."""

    metric: RowMetric[Any]
    prepared: Prepared
    facts: Mapping[str, object]
    """All that its numbers depend on beside its spec"""

    def requests(self, row: Row) -> Sequence[AnyRequest]:
        """What the row's score is first computed from."""
        return self.metric.requests(row, self.prepared)


class Block(NamedTuple):
    """Rows that were scored together, or came from the store."""

    rows: Sequence[int]
    """Their numbers in the corpus"""
    scored: Mapping[str, Mapping[int, Scored]]
    """By metric and row number"""


class Job:
    """Metrics that are scored in one pass over the rows: all that read one model, or metrics of strings.

    metrics: by spec. against: what metrics of sets compare with instead of references. Raises InputError where no row
    has what a metric needs, and for a text that window='error' refuses; SpecError for a model that does not fit.
    """

    def __init__(
        self,
        corpus: Corpus,
        metrics: Mapping[str, Metric],
        engine: Engine | None = None,
        *,
        store: Store | None = None,
        evidence: bool = False,
        against: Corpus | None = None,
    ) -> None:
        self._corpus, self._engine, self._store, self._evidence = corpus, engine, store, evidence
        setup = Setup(corpus, engine)
        self.bound: dict[str, Bound] = {}
        self.sets: dict[str, SetPoints] = {}
        for spec, metric in metrics.items():
            if isinstance(metric, RowMetric):
                _needed(corpus, metric, spec)
                prepared = metric.prepare(setup)
                self.bound[spec] = Bound(metric, prepared, self._facts(metric, prepared))
            elif isinstance(metric, SetMetric):
                if against is None:
                    _needed(corpus, metric, spec)
                points = metric.prepare(setup)
                facts = self._facts(metric, points, against=against.digest[:8] if against is not None else "references")
                key = metric_key(metric, facts, evidence)
                self.sets[spec] = SetPoints(metric, points, facts, corpus, against, evidence, key)
        self._windows = {spec: _Windows() for spec in self.bound}

    def blocks(self, rows: Sequence[int] | None = None) -> Iterator[Block]:
        """Score rows (all of them by default), a block at a time; what the store has comes as one block first."""
        wanted = range(len(self._corpus)) if rows is None else rows
        if self._engine is not None and self._engine.window == "error":
            for number in wanted:
                self._engine.check(self._requests([number]), number + 1)
        keys = {
            spec: Keys(bound.metric, bound.facts, self._corpus, self._evidence) for spec, bound in self.bound.items()
        }
        kept, damaged = self._kept(keys, wanted)
        yield self.seen(Block(wanted, kept))
        missing = {spec: [n for n in wanted if n not in kept[spec]] for spec in self.bound}
        self._recall_sets()
        if any(missing.values()) or any(points.missing for points in self.sets.values()):
            yield from self._computed(wanted, missing, damaged, keys)

    def set_scores(self, spec: str) -> dict[str, Scored]:
        """The score of each system by a metric of sets, whose blocks have all come."""
        points = self.sets[spec]
        new, scores = points.missing, points.scores()
        if self._store is not None:
            self._store.put({points.keys[system]: packed(scores[system]) for system in new})
            self._store.commit()
        return scores

    def _recall_sets(self) -> None:
        for points in self.sets.values():
            if self._store is not None:
                entries = self._store.get(list(points.keys.values()))
                points.recall({key: unpacked(content) for key, content in entries.items()})

    def signature(self, spec: str) -> Signature:
        """The signature of a metric whose blocks have come."""
        if spec in self.sets:
            return Signature(spec, self._with_window(self.sets[spec].facts, *self.sets[spec].read))
        read = self._windows[spec]
        return Signature(spec, self._with_window(self.bound[spec].facts, len(read.longer), len(read.texts)))

    def _computed(
        self,
        wanted: Sequence[int],
        missing: Mapping[str, Sequence[int]],
        damaged: set[int],
        keys: Mapping[str, Keys],
    ) -> Iterator[Block]:
        gaps = {spec: set(numbers) for spec, numbers in missing.items()}
        if self._engine is not None:
            self._engine.expect(sum(request.work for request in set(self._requests(wanted))))
        for numbers in self.split(wanted):
            fresh = not damaged.isdisjoint(numbers)
            todo = {spec: [n for n in numbers if fresh or n in gaps[spec]] for spec in self.bound}
            rows = {spec: [self._corpus[n] for n in some] for spec, some in todo.items()}
            texts = [self._corpus[n] for n in numbers]
            asked = {spec: points.requests(texts) for spec, points in self.sets.items()}
            others = [request for requests in asked.values() for request in requests]
            scored, features = score_block(self.bound, rows, self._engine, self._evidence, others, fresh)
            for spec, points in self.sets.items():
                points.take(asked[spec], features)
            block = Block(numbers, {spec: dict(zip(todo[spec], scored[spec], strict=True)) for spec in todo})
            if self._store is not None:
                for spec, found in block.scored.items():
                    self._store.put({keys[spec].of(n): packed(one) for n, one in found.items()})
                self._store.commit()
            yield self.seen(block)
        if self._engine is not None:
            for points in self.sets.values():
                for requests in points.others():
                    points.take(requests, self._engine.features(requests))
                    if self._store is not None:
                        self._store.commit()
            self._engine.close()

    def split(self, wanted: Sequence[int]) -> Iterator[list[int]]:
        """Some rows in blocks, those that share texts together."""
        columns = tuple(dict.fromkeys(column for bound in self.bound.values() for column in bound.metric.reads))
        texts = [texts_of(self._corpus[n], columns or ("candidate", "references")) for n in wanted]
        for block in blocks_of(texts, lambda some: self.weight([wanted[n] for n in some]), BLOCK_WEIGHT, _MOST_ROWS):
            yield [wanted[n] for n in block]

    def weight(self, numbers: Sequence[int]) -> int:
        """What some rows weigh in a block: bytes that are held, and work on the way to them."""
        if self._engine is None:
            return sum(len(text) for n in numbers for text in texts_of(self._corpus[n], ("candidate", "references")))
        model = self._engine.model
        return sum(request.size(model) + _WORK * request.work for request in set(self._requests(numbers)))

    def _requests(self, numbers: Sequence[int]) -> Iterator[AnyRequest]:
        for number in numbers:
            for bound in self.bound.values():
                yield from bound.requests(self._corpus[number])
        for points in self.sets.values():
            yield from points.requests([self._corpus[number] for number in numbers])

    def _kept(self, keys: Mapping[str, Keys], wanted: Sequence[int]) -> tuple[dict[str, dict[int, Scored]], set[int]]:
        """What the store has of each metric, by row; and the rows of which it had something that was damaged."""
        kept: dict[str, dict[int, Scored]] = {spec: {} for spec in keys}
        damaged: set[int] = set()
        if self._store is None:
            return kept, damaged
        for spec, key in keys.items():
            by_key: dict[str, list[int]] = {}
            for n in wanted:
                by_key.setdefault(key.of(n), []).append(n)
            entries = self._store.get(list(by_key))
            kept[spec] = {n: unpacked(content) for name, content in entries.items() for n in by_key[name]}
            damaged.update(n for name in self._store.damaged & by_key.keys() for n in by_key[name])
        return kept, damaged

    def seen(self, block: Block) -> Block:
        """Take note of which texts some rows' scores were made of, for the signature; the block comes back."""
        if self._engine is None:
            return block
        for spec, scored in block.scored.items():
            reads = self.bound[spec].metric.reads
            for number, one in scored.items():
                self._windows[spec].add(texts_of(self._corpus[number], reads), one.longer)
        return block

    def _facts(self, metric: Metric, prepared: Prepared, **more: object) -> dict[str, object]:
        libraries = {name: version(name) for name in metric.libraries}
        model = self._engine.facts if self._engine is not None and model_of(metric) is not None else {}
        return {**model, **prepared.facts, **libraries, **more, "nlgauge": __version__}

    @staticmethod
    def _with_window(facts: Mapping[str, object], longer: int, texts: int) -> dict[str, object]:
        if "window" not in facts:
            return dict(facts)
        return {**facts, "window": f"{facts['window']},longer {longer}/{texts}"}


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
            for request in bound[spec].metric.further(row, bound[spec].prepared, features)
            if request not in features
        ]
        if then:
            features = features.joined(engine.features(then, fresh))
    return {spec: _scored(bound[spec], some, features, evidence) for spec, some in rows.items()}, features


def _scored(bound: Bound, rows: Sequence[Row], features: Features, evidence: bool) -> list[Scored]:
    metric, prepared = bound.metric, bound.prepared
    values = metric.score(rows, prepared, features) if rows else []
    longer = [_longer(row, metric.reads, features) if features.longer else () for row in rows]
    shown = [metric.evidence(row, prepared, features).record() or None if evidence else None for row in rows]
    return [Scored(*entry) for entry in zip(values, longer, shown, strict=True)]


def _longer(row: Row, columns: Sequence[str], features: Features) -> tuple[int, ...]:
    return tuple(n for n, text in enumerate(texts_of(row, columns)) if text in features.longer)


class _Windows:
    """The distinct texts that a metric read, and those of them that are longer than the model's window."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.longer: set[str] = set()

    def add(self, texts: Sequence[str], longer: Sequence[int]) -> None:
        """Take the texts of one row, and which of them are longer."""
        self.texts.update(texts)
        self.longer.update(texts[n] for n in longer)


def _needed(corpus: Corpus, metric: Metric, spec: str) -> None:
    columns = [column for column in metric.reads if column != "candidate"]
    lacking = [column for column in columns if all(getattr(row, column) in (None, ()) for row in corpus)]
    if not lacking and columns and len(corpus):
        complete = (all(getattr(row, column) not in (None, ()) for column in columns) for row in corpus)
        lacking = [] if any(complete) else columns
    if lacking:
        raise InputError(
            f"no row has {' and '.join(lacking)}, which {spec} needs",
            remedy=f"give a column {lacking[0]}, or name it: --map {lacking[0]}=THEIRS",
        )
